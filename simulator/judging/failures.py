"""How a bot failed, in the client's language; what it said itself stays as it is."""

from simulator.core.errors import TargetFault
from simulator.core.persona import Language
from simulator.core.talk import TargetFailure

# English as the fault is called in files and JSON.
_FAULTS: dict[TargetFault, str] = {
    TargetFault.RAISED: "エラー",
    TargetFault.TIMEOUT: "時間切れ",
    TargetFault.EMPTY: "回答が空",
    TargetFault.INVALID: "回答の形が不正",
    TargetFault.EXITED: "プログラムの終了",
}


def told(failure: TargetFailure, language: Language) -> str:
    """`timeout: no answer within 60 s`; in Japanese with the kind of failure in Japanese."""
    kind = _FAULTS[failure.fault] if language == "ja" else failure.fault.value
    return f"{kind}: {failure.message}" if failure.message else kind
