"""`scrapy webstruct …`: look at a learned site, take out what was learned, learn it again, or learn an archive.

This is the frame: it finds the subcommand, and turns errors into sentences and exit codes. What the subcommands do is in
`subcommands.py`; both load the rest of the package when it is needed, since Scrapy loads them for every command.
"""

from __future__ import annotations

import argparse
import os
import sys

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from webstruct import exit_codes
from webstruct.commands.subcommands import SUBCOMMANDS


class Command(ScrapyCommand):
    """Runs a subcommand."""

    requires_crawler_process = False
    default_settings = {"LOG_LEVEL": "WARNING"}  # noqa: RUF012

    def syntax(self) -> str:
        """How it is called."""
        return "SUBCOMMAND …"

    def short_desc(self) -> str:
        """For `scrapy -h`."""
        return f"Learn a site, and look at what was learned: {', '.join(SUBCOMMANDS)}"

    def long_desc(self) -> str:
        """For `scrapy webstruct -h`."""
        return "Learn a web site, look at what was learned, export it, learn it again, or learn a web archive."

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """One parser for each subcommand, with Scrapy's own options."""
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.epilog = "scrapy webstruct SUBCOMMAND --help shows options and examples."
        parsers = parser.add_subparsers(
            title="subcommands", metavar="SUBCOMMAND", dest="subcommand", prog="scrapy webstruct"
        )
        for name, subcommand in SUBCOMMANDS.items():
            examples = "\n".join(f"  scrapy webstruct {name} {example}" for example in subcommand.examples)
            own = parsers.add_parser(
                name,
                help=subcommand.summary,
                description=subcommand.description,
                epilog=f"examples:\n{examples}",
                formatter_class=argparse.RawDescriptionHelpFormatter,
            )
            subcommand.add_arguments(own)
            own.add_argument("-q", "--quiet", action="store_true", help="no progress and no summary")
            super().add_options(own)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Refuse what is not understood, then do with Scrapy's options what Scrapy does."""
        if opts.subcommand is None:
            raise UsageError(f"name one of {', '.join(SUBCOMMANDS)}")
        if args:
            raise UsageError(f"{args[0]!r} is not understood; see scrapy webstruct {opts.subcommand} --help")
        super().process_options(args, opts)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the subcommand; what goes wrong becomes a sentence and an exit code."""
        from webstruct.commands.running import tell
        from webstruct.errors import WebstructError
        from webstruct.store import StoreError

        assert self.settings is not None
        try:
            self.exitcode = SUBCOMMANDS[opts.subcommand].run(opts, self.settings)
            if sys.stdout is not None:
                sys.stdout.flush()
        except StoreError as error:
            self.exitcode = tell(error)
        except WebstructError as error:
            tell(error)
            self.exitcode = exit_codes.WRONG_ARGUMENT
        except BrokenPipeError:  # the reader of our output has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except OSError as error:
            tell(WebstructError(f"{error.filename or 'the output'}: {error.strerror or error}"))
            self.exitcode = exit_codes.FAILED
        except KeyboardInterrupt:
            self.exitcode = exit_codes.INTERRUPTED
