"""What may be told of a dataset in view of everything that was told of it: no group of a few subjects comes out.

*Atoms.* The sets that were asked about take the subjects apart into atoms: those that are in the same sets. A set is
then a row of ones and zeros over the atoms. Whoever knows these sets knows as much about the dataset as this does;
that a combination of conditions is met by nobody is taken for known as well.

*Sums.* What can be had from told sets by adding and subtracting is the span of their rows. A group of 1 to k - 1
subjects is given away when its own row is in the span: then its count comes out, and with it the sum, the sum of
squares and so the mean and the SD of any variable that was told over these sets. This is the auditing of sum queries
(Chin and Özsoyoğlu, "Auditing and inference control in statistical databases", IEEE TSE 8, 1982). `spans` keeps a
basis modulo a prime, `indicators` looks for such groups in it: a row is in the span if and only if each vector that
is perpendicular to the told sets is perpendicular to it, and a random one is as good as all.

*Bounds.* That a group is small says 1 to k - 1, that it is withheld says k or more. With these an attacker can bound
what was not told: of a total of 20 with parts of 12, `<5` and `<5`, both small ones are 4. `doubts` demands that each
small and each withheld group, and each small atom, can have one more or one less than it has. If so, no bound is
tight in all tables that bear out what was told, so bounds add nothing to the span, and looking for groups there was
enough.

*Complementary suppression.* If an answer would give something away, its smallest count whose withholding helps is
withheld (Cox, "Suppression methodology and statistical disclosure control", JASA 75, 1980). If nothing remains to be
told, the question is refused.

*Emptiness.* That a combination of conditions is met by nobody is no secret in itself, but of a small group it says
something of each member. `conjunctions` finds what conditions of one question would take a small group apart; then the
others make no difference to its answer.

*Records* are looked at in the same way, rows being the units: a group of rows of fewer than k subjects must not come
out of sums, though it may consist of many atoms. With more than `indicators.ENUMERATED` independent told sets that
touch only small atoms, groups of fewer than k atoms are looked for, and others are not. *Versions* of a dataset are
put together in `versions`.

An attacker is taken for one who knows all answers, and not for one who reasons about why something was refused or
withheld; but that a refusal means a small group is taken for known.
"""

from review_graph.core.disclosure.auditing import Audit, World
from review_graph.core.disclosure.conjunctions import Conjunction, Part
from review_graph.core.disclosure.hiding import Outcome, hide
from review_graph.core.disclosure.indicators import TooManyError
from review_graph.core.disclosure.knowing import How, Known
from review_graph.core.disclosure.packing import packed, unpacked
from review_graph.core.disclosure.partition import Flags, Partition, Whole
from review_graph.core.disclosure.versions import Hashes, Identities, Units, Versions, mixed

__all__ = [
    "Audit",
    "Conjunction",
    "Flags",
    "Hashes",
    "How",
    "Identities",
    "Known",
    "Outcome",
    "Part",
    "Partition",
    "TooManyError",
    "Units",
    "Versions",
    "Whole",
    "World",
    "hide",
    "mixed",
    "packed",
    "unpacked",
]
