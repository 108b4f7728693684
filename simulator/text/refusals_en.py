"""What English refusals look like: one way of saying it on each line."""

import re

from simulator.text.refusal_rules import RefusalRules, alternatives, any_line

_FILLER = "(?: (?:really|currently|unfortunately|simply|also|just|still|actually|honestly))?"
_WE = r"\b(?:i|we|this (?:bot|assistant|chat))\b"
_CAN_NOT = alternatives(
    """
    <we><filler> (?:can't|cannot|can not|could not|couldn't|won't be able to|will not be able to)
    <we>(?: am| are|'m|'re| was| were)<filler> (?:not able|unable) to
    <we> (?:wasn't|weren't|aren't) able to
    (?:^ ?|[,;:] )(?:sorry,? |unfortunately,? )?(?:unable to|not able to|can't|cannot)
    (?:^ ?|[,;:] )(?:sorry,? |unfortunately,? )?(?:couldn't|could not)
    """,
    we=_WE,
    filler=_FILLER,
)
_OPENING = r"(?:\W|(?:sorry|unfortunately|regrettably|sadly|i'm afraid|i am afraid)(?: that)?,? )*"
_INFORMATION = alternatives(
    """
    information|info|details?|answers?|mention|references?|documentation|guidance|data|knowledge
    records? of|instructions|articles?|entry|entries|context|visibility|insight
    """
)
_SOURCE = alternatives(
    """
    articles?|documents?|documentation|context|sources?|knowledge base|faqs?|materials?|passages?
    information|text|excerpts?|help (?:pages?|cent(?:er|re))|guides?|manual|records|database
    notes|handbook|leaflet|brochure
    """
)

RULES = RefusalRules(
    between_clauses=re.compile(r"(?:,|;) (?:but|however|although|though|yet)\b,?|; "),
    refuses=any_line(
        r"""
        <can_not><filler> (?:answer|assist|comment|respond|advise|speculate|say|determine)\b
        <can_not><filler> (?:tell|know|settle (?:that|this|it))(?=[.,;!]|$| for (?:sure|certain)\b)
        <can_not><filler> be (?:sure|certain|positive|specific)\b
        <can_not><filler> (?:tell you|be of (?:help|service)|compare|discuss)\b
        <can_not><filler> address (?:that|this|your)\b
        <can_not><filler> help(?: you)?(?: (?:with|on)\b|[.,]|$)
        <can_not><filler> (?:confirm|verify|tell|see) (?:whether|if|that|this|what|how|when)\b
        <can_not><filler> <get>(?: \w+){0,5}? (?:<information>|anything|something)\b
        <can_not><filler> find (?:any|a match|that|this|it\b)
        <can_not><filler> look (?:up|into)\b
        <we><filler> (?:don't|do not|didn't|did not)<filler> know\b(?! your| you )
        <we><filler> have nothing (?:(?:on|about) (?:that|this|it|your|file)|about|to go on)\b
        <we> wish (?:i|we) (?:could (?:help|say|tell|answer|be|advise|give)|knew)\b
        \bbeyond (?:me|us)\b
        <leave> (?:that|this|it)(?: \w+)? (?:to|for|with) (?:our|the|my|an?) \w+
        <we><filler> have no<which> <information>\b
        <we><filler> (?:don't|do not|didn't|did not)<filler> have<which> <information>\b
        <we><filler> (?:don't|do not|didn't|did not) (?:find|see)(?: \w+){0,4}? <information>\b
        \b<we_are> (?:really |honestly )?(?:not (?:sure|certain|aware|familiar)|unaware)\b
        \bthere(?: is| are| was| were|'s)<filler> (?:no|not any|n't any)<which> <information>\b
        ^<opening>no<which> <information>\b[^.]{0,60}<found>
        (?:is|are|was|were)(?:n't| not)(?: \w+){0,2}? <told>(?: \w+)? <where> <the><source>\b
        \b<source>\b[^.]{0,40}? (?:does|do|did)(?:n't| not)(?: \w+){0,2}? <tell>
        \b<source>\b[^.]{0,40}? (?:makes?|gives?|contains?|has|have|says?) (?:no|nothing)\b
        nothing (?:\w+ ){0,3}?(?:in|about|on)[^.]{0,60}\b<source>\b
        nothing (?:\w+ ){0,2}?in what (?:i|we)\b
        \b(?:question|point|matter|one)(?: that| which)? <can_not> \w+
        <we> (?:must|have to|need to|can only) (?:refer|direct|point) you\b
        <we> (?:must|have to|need to|can only) ask you to (?:contact|call|ask|consult|check with)\b
        (?:outside|beyond|out of)(?: of)? (?:the )?(?:scope|range|what|my|our|the <source>)\b
        <it>(?:'s| is)(?: not|n't) (?:something|anything|a \w+)(?: that| which)? (?:i|we)\b
        <we>(?:'ve| have|'d| had)?(?:n't| not)(?: yet)? (?:been )?(?:given|told|trained on)\b
        <we><filler> lack (?:\w+ ){0,4}?(?:<information>|knowledge|means)\b
        <it> (?:is|was)(?:n't| not) (?:clear|known|stated|evident|apparent)\b
        <it>(?:'s| is| was) unclear\b
        \b<we_are> not in a position to\b
        \b<we_are> not (?:allowed|permitted|authori[sz]ed|meant|supposed|qualified) to <say>\b
        \b<source>\b[^.]{0,20}? (?:is|are) silent\b
        \bno (?:mention|record|information|reference) (?:is|was|has been) (?:made|given|found)\b
        \b(?:im|not )possible(?: for (?:me|us))? to (?:answer|say|tell|determine|know|confirm)\b
        <we><filler> (?:didn't|did not) find\b
        (?:^|[.!] )(?:sorry,? )?not sure\b
        <we><filler> (?:don't|do not) have access to\b
        <can_not><filler> (?:provide|give|offer)(?: you)?(?: with)?(?: \w+)? (?:advice|opinions?)\b
        <it> is unknown (?:whether|if|when|how)\b
        \bthere(?:isn't|aren't| isn't| aren't)<which> <information>\b
        \b(?:my|our) knowledge does(?:n't| not)\b
        \banswers?\b[^.]{0,30}? (?:is|are)(?:n't| not) <where> <the><source>\b
        can neither confirm nor deny
        <we> have no (?:way|means) (?:of|to) (?:know|tell|check|verify|say|find)
        \b<information>\b[^.]{0,20}? (?:is|are)(?:n't| not)(?: \w+)? <within_reach> (?:me|us)\b
        <we> (?:<do_not>|couldn't|can't|cannot)(?: \w+)? (?:understand|follow) (?:you|the|that|what)
        <we>(?:'d| would) (?:rather|prefer) not(?: to)? <say>\b
        (?:can't|cannot|can not|could not|couldn't) be (?:answered|determined|inferred)\b
        \bno idea\b|\b(?:that|this|it) is unknown to (?:me|us)\b
        <we><filler> (?:must|have to|need to|will have to) decline\b
        """,
        can_not=_CAN_NOT,
        filler=_FILLER,
        we=_WE,
        we_are="i'm|i am|we're|we are",
        opening=_OPENING,
        found="available|found|given",
        leave=r"\b(?:i|we)(?:'d| would|'ll| will| should| had)?(?: better| best| rather)? leave",
        get="find|locate|provide|offer|give|share|access|see|retrieve",
        which=(
            "(?: (?:any|enough|sufficient|access to|that|this|those|these|the|such|specific"
            "|relevant|an|real-time|current|further|more|necessary|other|clear|direct"
            "|mention of)){0,3}"
        ),
        information=_INFORMATION,
        source=_SOURCE,
        say="answer|discuss|share|comment|disclose|give|provide|talk|advise|say|speculate|tell|guess",
        it=r"\b(?:that|this|it)",
        within_reach="(?:available|accessible|known) to",
        do_not="didn't|did not|don't|do not",
        where="in|by|within|on",
        the=r"(?:\w+ ){0,3}?",
        told=(
            "mentioned|covered|specified|stated|described|documented|listed|included|addressed"
            "|provided|given|explained|available"
        ),
        tell=(
            "mention|contain|include|cover|specify|say|state|address|provide|describe|answer"
            "|indicate|explain|detail|give|show|list|discuss|hold|have|extend"
            "|go into|touch (?:up)?on|deal with|tell"
        ),
    ),
    unless=any_line(
        r"""
        \bif (?:i|we) (?:can't|cannot|do not|don't|couldn't|are unable)\b
        \bi (?:can't|cannot) help but\b
        \b(?:sure|certain|know) (?:which|what|who)(?: \w+){0,3} you (?:mean|want|need|are|have)\b
        \bif (?:the|your|an?) (?:\w+ ){0,4}?(?:is|are)(?:n't| not)\b
        """
    ),
    only_partly=re.compile(
        r"\bexact|\bprecise|\b(?:for|be) (?:sure|certain|positive|specific)\b|\bguarantee"
    ),
    says_nothing=any_line(
        r"""
        \b(?:sorry|apolog|unfortunately[.,]?$|i'm afraid$|regret)
        \bthank|\bappreciate|\bi understand\b|\bgreat question\b|^(?:hello|hi|dear)\b
        \b(?:contact|reach out|get in touch|write to|speak (?:to|with)|e-?mail (?:us|the|our))\b
        \b(?:call|ask|see|refer to|check(?: with)?|visit|consult) (?:us|the|our|their|its)\b
        \b(?:support|help) (?:desk|team|line)\b|\bcustomer (?:service|support|care)\b
        \b(?:i|we) (?:can|could|will|'ll)(?: only| gladly)? (?:help|assist|answer|tell)\b
        \b(?:i|we) (?:can|could|will|'ll)(?: only| gladly)? (?:transfer|connect|forward)\b
        ^(?:so,? )?you(?:'d| would)? (?:want|like|wish|are asking|asked)\b
        \bhappy to\b|\blet (?:me|us) know\b|\bfeel free\b|\btry again\b
        \bplease (?:provide|share|tell|rephrase)\b
        \bif you (?:have|need|would like|want|could|can)\b[^.]{0,60}\b(?:questions?|help|details?)\b
        \?\W*$|^\W*$|\bi (?:have )?(?:checked|searched|looked)\b|\byou (?:may|might|could) want to\b
        """
    ),
    as_a_rule=re.compile(
        r"\busually|\btypically|\bgenerally|\bnormally|\bin most cases|\bas a rule"
    ),
)
