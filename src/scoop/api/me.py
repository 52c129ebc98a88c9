"""The authenticated user, in the form that external client programs expect."""

from dataclasses import dataclass
from typing import Literal

from fastapi import Request, Response

from scoop.core.access import Right, Role, Via
from scoop.core.shapes import listening
from scoop.http import responses, routes
from scoop.http.deps import CurrentVisitor, ReadConn
from scoop.http.errors import Unauthenticated
from scoop.http.routes import needs
from scoop.model import Level
from scoop.store import learners, users

router = routes.for_programs("People", prefix="/api")


@dataclass(frozen=True, slots=True, kw_only=True)
class Me:
    """The authenticated user; `id` and `userId` are the same, `rights` are those of this session or key.

    `language` is the one in which the person reads summaries, empty for that of the desk; `level` that of lessons.
    """

    id: str
    userId: str  # noqa: N815 - the shape of this contract
    name: str
    role: Role
    rights: list[Right]
    via: Via
    language: str
    level: Level
    createdAt: str  # noqa: N815
    updatedAt: str  # noqa: N815
    type: Literal["user"] = "user"


@router.get("/v1/me", response_model=Me)
@router.get("/user/me", response_model=Me)
@needs("read")
async def get_me(request: Request, conn: ReadConn, by: CurrentVisitor) -> Response:
    """The authenticated user; 401 for an anonymous request, even where reading is public."""
    if by.user_id is None:
        raise Unauthenticated()
    user = await users.by_id(conn, by.user_id)
    learner = await learners.get_learner(conn, by.user_id)
    name = listening.user_name(user.user_id)
    me = Me(
        id=name,
        userId=name,
        name=user.name,
        role=user.role,
        rights=sorted(by.rights),
        via=by.via,
        language=user.language,
        level=learner.level,
        createdAt=listening.iso(learner.created_at),
        updatedAt=listening.iso(learner.updated_at),
    )
    return responses.json(request, me)
