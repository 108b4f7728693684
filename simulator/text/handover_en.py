"""How an English desk passes a talk on to a person: one way of saying it on each line."""

import re

from simulator.text.refusal_rules import alternatives, any_line

_WHO = alternatives(
    r"""
    agents?|operators?|representatives?|reps?|persons?|humans?|colleagues?|specialists?|experts?
    supervisors?|managers?|advis[eo]rs?|teams?|members? of (?:our|the) (?:team|staff)|staff
    departments?|desk|somebody|someone|technicians?|engineers?
    """
)
_CASE = (
    r"(?:you|this|it|(?:your|the|this) (?:\w+ ){0,2}?(?:case|request|ticket|enquiry|inquiry|call"
    r"|question|message|matter|issue|chat|conversation|details|complaint|report))"
)
_ONE = r"(?:(?:an?|one of (?:our|the|my)|our|my|the) (?:\w+ ){0,2}?)?"
_SOON = "(?:(?:now|just|also|personally|immediately|quickly) )?"
_PASSING = alternatives(
    r"""
    (?:transfer|connect|redirect|switch|route|refer) <case>\b.{0,12}?\b(?:to|with)\b<near>\b<who>\b
    (?:transfer|connect) you(?: now)?(?:\W|$)
    (?:hand|pass|forward|escalate|send|bump|assign) <case>\b.{0,12}?\bto\b<near>\b<who>\b
    (?:escalate|hand over) <case>\b|hand <case> over\b|put you through\b
    (?:raise|take up) <case> with\b.{0,20}?\b<who>\b
    (?:get|bring|call|fetch|involve|loop)(?: in)? (?:you )?<one><who>\b
    ask <one><who> to (?:take|look|call|contact|help|handle|deal)
    """
)
_FORMS = {  # the base, ing- and past forms of the verbs above
    "transfer": "transfer(?:ring|red)?",
    "connect": "connect(?:ing|ed)?",
    "redirect": "redirect(?:ing|ed)?",
    "switch": "switch(?:ing|ed)?",
    "route": "rout(?:e|ing|ed)",
    "refer": "refer(?:ring|red)",
    "hand": "hand(?:ing|ed)?",
    "pass": "pass(?:ing|ed)?",
    "forward": "forward(?:ing|ed)?",
    "escalate": "escalat(?:e|ing|ed)",
    "send": "sen(?:d|ding|t)",
    "assign": "assign(?:ing|ed)?",
    "put": "put(?:ting)?",
    "raise": "rais(?:e|ing|ed)",
    "get": "get(?:ting)?",
    "bring": "bring(?:ing)?|brought",
    "call": "call(?:ing|ed)?",
    "fetch": "fetch(?:ing)?",
    "involve": "involv(?:e|ing|ed)",
    "loop": "loop(?:ing|ed)?",
    "ask": "ask(?:ing|ed)?",
}
_FIRST = re.compile(rf"(?<![\w\\])(?:{'|'.join(_FORMS)})(?= |\||\))")
_ACTS = (
    _FIRST.sub(lambda found: f"(?:{_FORMS[found.group()]})", _PASSING)
    .replace("<who>", _WHO)
    .replace("<case>", _CASE)
    .replace("<one>", _ONE)
    .replace("<near>", ".{0,40}?")
)

OPENING = re.compile(r"^(?:in that case|ok(?:ay)?|sure|right|all ?right|of course|certainly),? ")
CONDITION = re.compile(
    r"\b(?:if|unless|when|whenever|in case|should you|before|only|yourself)\b"
    r"|(?:^|\bplease )(?!hold|wait|stay|bear)\w+ [^.]*\band (?:an?|one of|our|the)\b"
)
NOT_YET = re.compile(
    r"\?|\b(?:cannot|not|never|unable|nobody|no one)\b|n't\b|\bwould you\b"
    r"|\b(?:i|we) (?:can|could|may|might)\b"
)
PASSES_ON = any_line(
    r"""
    \b(?:<i_do>|let me|let us|allow me to|<hold>) <soon><acts>
    ^(?:<wait>,? )?<soon>(?=\w+ing\b)<acts>
    \b(?:you|<case>)<been>(?: now| just)?(?: being| been)? <gone>
    \b<who>\b(?: \w+){0,6}? <will> (?:\w+ )?<comes>
    \b<who>\b,? who <will> (?:\w+ )?(?:<comes>|help|assist|take)
    \byou(?:'ll| will)(?: now| soon| shortly)? be (?:speaking|talking|chatting) (?:to|with)\b
    \b<who>\b(?: \w+){0,4}? (?:is|are)(?: now)? (?:joining|taking over)
    """,
    acts=_ACTS,
    who=_WHO,
    case=_CASE,
    been="(?:'re| are| is| has been| have been| was)",
    soon=_SOON,
    will="(?:will|'ll|is going to|are going to)",
    comes=(
        "(?:take (?:it|this|over)|(?:call|contact|ring|phone) you|call back|be in touch|be with you"
        "|get (?:back|in touch)|reach out|join)"
    ),
    gone=(
        r"(?:transferred|connected|redirected|handed over|put through|forwarded|passed"
        rf"|escalated|routed|assigned)\b[^.]{{0,20}}?\b(?:to|with)\b[^.]{{0,30}}?\b{_WHO}\b"
    ),
    wait=r"(?:hold on|one moment|please (?:hold|wait)|just a moment)(?: please)?",
    hold=r"(?:please (?:hold|wait|stay|bear)\b[^.]{0,30}?\b(?:while|as) (?:i|we))",
    i_do=(
        r"(?:i|we)(?:'ll|'m|'re|'ve| will| am| are| have| shall| must| need to)?"
        r"(?: be| going to| go ahead and| have to)?"
    ),
)
TAKES_UP = any_line(
    r"""
    \b(?:<who>|they)\b(?: \w+){0,3}? (?:will|'ll|is going to|are going to) (?:\w+ )?<does>
    """,
    who=_WHO,
    does=alternatives(
        """
        look|check|review|investigat|handl|deal|reply|respond|answer|help|assist|follow|lock|stop
        freez|sort|examin|process|confirm|write
        """
    ),
)
POINTS = any_line(
    r"""
    \b(?:human|live|support|customer service) (?:agent|operator|person|representative)s?\b
    \b(?:agent|representative|operator|colleague)s? (?:will|can|who)\b
    \bmember of (?:our|the) (?:team|staff) (?:will|can|who)\b
    \b<turn_to> (?:us\b|customer (?:service|support|care)\b|(?:our|the)\b[^.]{0,30}\b<desk>\b)
    """,
    turn_to=(
        "(?:contact|call|e-?mail|write to|reach out to|get in touch with|speak (?:to|with)|ask)"
    ),
    desk="(?:desk|team|support|department|line|hotline|service|staff)",
)
