"""Recordings of lessons: their state and times, the sound, and the transcript."""

from http import HTTPStatus
from typing import Any

from fastapi import Request, Response

from scoop import app
from scoop.actions import recordings
from scoop.actions.recordings import RecordingReport
from scoop.api import document
from scoop.core.audio import mp3, transcripts
from scoop.errors import NotFound
from scoop.http import auth, byte_ranges, responses, routes
from scoop.http.deps import CurrentDesk, CurrentVisitor, ReadConn, WriteConn
from scoop.http.params import RecordId
from scoop.http.routes import needs
from scoop.store import recordings as store

router = routes.for_programs("Lessons")

SOUND: dict[int | str, dict[str, Any]] = {
    200: {"description": "The recording", "content": {mp3.MEDIA_TYPE: {}}},
    206: {"description": "The part of it that was asked for"},
    416: {"description": "The part begins beyond its end"},
}
TRANSCRIPT: dict[int | str, dict[str, Any]] = {
    200: {"description": "WebVTT", "content": {transcripts.VTT_TYPE: {}}},
}
IMMUTABLE = "private, max-age=3600"  # a recording changes only if the operator chooses another voice


@router.get(
    "/lessons/{lesson_id}/audio", response_model=RecordingReport, responses=document.problems(HTTPStatus.NOT_FOUND)
)
@needs("read")
async def get_recording(request: Request, conn: ReadConn, lesson_id: RecordId) -> Response:
    """The recording of a lesson: its state, and once it is ready when each sentence and word is spoken."""
    return responses.json(request, await recordings.get_report(conn, lesson_id))


@router.post(
    "/lessons/{lesson_id}/audio",
    response_model=RecordingReport,
    status_code=HTTPStatus.ACCEPTED,
    responses=document.problems(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
)
@needs("read")
async def ask_for_recording(
    request: Request, conn: WriteConn, desk: CurrentDesk, visitor: CurrentVisitor, lesson_id: RecordId
) -> Response:
    """Ask for the recording of a lesson; it is made once. Poll it until `state` is ready or failed.

    One that failed is tried again; one that another voice has made is replaced. 409 if the desk has no voice.
    """
    if not visitor.is_known:
        raise auth.unauthenticated(request)
    report = await recordings.ask(conn, lesson_id, voice=desk.config.used_voice)
    return responses.json(request, report, status=HTTPStatus.ACCEPTED)


@router.get(
    "/lessons/{lesson_id}/audio.mp3", responses=SOUND | document.problems(HTTPStatus.NOT_FOUND), response_class=Response
)
@needs("read")
async def get_sound(request: Request, desk: CurrentDesk, lesson_id: RecordId) -> Response:
    """The recording as MP3, whole or in parts (Range)."""
    async with desk.reading() as conn:
        recording = await store.find(conn, lesson_id)
    try:
        body = await recordings.read(app.open_archive(desk.config), recording)
    except NotFound:
        if recording is not None:
            async with desk.writing() as conn:
                await store.ask(conn, [lesson_id])  # its object is gone: it is made again
        raise
    return byte_ranges.respond(request, body, mp3.MEDIA_TYPE, headers={"Cache-Control": IMMUTABLE})


@router.get(
    "/lessons/{lesson_id}/transcript.vtt",
    responses=TRANSCRIPT | document.problems(HTTPStatus.NOT_FOUND),
    response_class=Response,
)
@needs("read")
async def get_transcript(request: Request, conn: ReadConn, lesson_id: RecordId) -> Response:
    """The text of a recording with the time of each sentence, as WebVTT."""
    recording = await store.find(conn, lesson_id)
    if recording is None:
        raise NotFound("this lesson has no recording yet: ask for it")
    body = transcripts.web_vtt(recording.sentences).encode()
    return responses.with_etag(request, body, f"{transcripts.VTT_TYPE}; charset=utf-8")
