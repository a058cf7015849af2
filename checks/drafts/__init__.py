"""Drafts of specs: inferred from a dataset somebody trusts, or read from a Define-XML.

A draft is a spec and the comments beside it; a person makes it a spec by confirming what it guesses.
"""

from checks.drafts.define_xml import read_define
from checks.drafts.draft import Draft, package
from checks.drafts.infer import infer
from checks.drafts.write import to_json, to_yaml

__all__ = ["Draft", "infer", "package", "read_define", "to_json", "to_yaml"]
