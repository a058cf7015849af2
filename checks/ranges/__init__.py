"""The ranges family: can these values be, alone and together?"""

from checks.ranges import codelists, limits, rules

__all__ = ["codelists", "limits", "rules"]
