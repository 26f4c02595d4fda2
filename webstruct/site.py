"""temporary"""
from __future__ import annotations
import json
from pathlib import Path
from webstruct.items import PageItem
from webstruct.store import Store
class SiteResults:
    def __init__(self, folder: Path, *, complete: bool) -> None:
        self.folder=folder; self.complete=complete; self.decisions=[]; self.families=[]; self.summary={"counts":{}}
    def batches(self):
        with Store.open(self.folder/"site.db", read_only=True) as store:
            batch=[]
            for row in store.pages():
                batch.append(PageItem(row.url,row.depth,row.status,"","other",0.,0.,0.,0.,0,0,0,0))
                if len(batch)>=100:
                    yield batch; batch=[]
            c=store.counts()
            self.summary={"counts":dict(found=c.found,stored=c.stored,failed=c.failed,refused=c.refused,pending=c.pending),"complete":self.complete,"reasons":[(k,v) for k,v in store.reasons().items()]}
            (self.folder/"site.json").write_text(json.dumps(self.summary))
            if batch: yield batch
    def table(self): return json.dumps(self.summary)
