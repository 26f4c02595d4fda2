"""Arrays and strings survive the trip through bytes; damaged bytes are refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from webstruct.packing import PackingError, pack, unpack

text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))


@given(
    hnp.arrays(st.sampled_from([np.int32, np.float64, np.uint8, np.bool_]), st.integers(0, 9)),
    st.lists(text),
    text,
)
def test_round_trip(array, strings, value):
    fields = unpack(pack({"array": array, "strings": strings, "value": value, "none": None}))
    assert fields["array"].dtype == array.dtype
    assert np.array_equal(fields["array"], array, equal_nan=array.dtype.kind == "f")
    assert (fields["strings"], fields["value"], fields["none"]) == (strings, value, None)


@given(st.integers(0, 200))
def test_cut_bytes_are_refused(length):
    data = pack({"numbers": np.arange(20), "names": ["a", "b"]})
    if length < len(data):
        with pytest.raises(PackingError, match=f"of {length} bytes"):
            unpack(data[:length])


def test_foreign_bytes_are_refused():
    with pytest.raises(PackingError, match="begins with b'PK"):
        unpack(b"PK\x03\x04 something else")
