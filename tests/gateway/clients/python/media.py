"""Calls the service with the official Python client of OpenAI: media.py URL KEY"""

import base64
import json
import sys
import time

from openai import OpenAI

url, key = sys.argv[1:3]
client = OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0)


def report(what, is_right):
    print(what, str(bool(is_right)).lower())


def decode(text):
    data = base64.b64decode(text, validate=True)
    assert data.startswith(b"\x89PNG")
    return data


made = client.images.generate(model="sandbox/paint", prompt="A lighthouse", quality="low")
picture = decode(made.data[0].b64_json)
report("image", made.usage.output_tokens == 196)

edited = client.images.edit(
    model="sandbox/paint", prompt="Add a boat", quality="low", image=("lighthouse.png", picture, "image/png")
)
decode(edited.data[0].b64_json)
report("edit", edited.usage.input_tokens_details.image_tokens == 1024)

events = client.images.generate(
    model="sandbox/paint", prompt="A lighthouse", quality="low", stream=True, partial_images=2
)
types = [event.type for event in events]
report("stream", types == ["image_generation.partial_image"] * 2 + ["image_generation.completed"])

SAID = "The sea was calm that morning."
speech = client.audio.speech.create(model="sandbox/speak", input=SAID, voice="alloy", response_format="wav").read()
report("speech", speech.startswith(b"RIFF"))

transcript = client.audio.transcriptions.create(model="sandbox/listen", file=("said.wav", speech, "audio/wav"))
report("transcript", transcript.text == SAID)

recording = {"data": base64.b64encode(speech).decode(), "format": "wav"}
spoken = client.chat.completions.create(
    model="sandbox/talk",
    modalities=["text", "audio"],
    audio={"voice": "alloy", "format": "wav"},
    messages=[{"role": "user", "content": [{"type": "input_audio", "input_audio": recording}]}],
)
said = spoken.choices[0].message.audio
report(
    "talk",
    said.transcript == SAID
    and base64.b64decode(said.data).startswith(b"RIFF")
    and spoken.usage.prompt_tokens_details.audio_tokens == 12
    and spoken.usage.completion_tokens_details.audio_tokens == 24,
)

checked = client.moderations.create(model="sandbox/moderation", input=SAID)
report("moderation", len(checked.results) == 1 and not checked.results[0].flagged)

video = client.videos.create(model="sandbox/film", prompt="A lighthouse at dusk", seconds="4", size="1280x720")
while video.status in ("queued", "in_progress"):
    time.sleep(1)
    video = client.videos.retrieve(video.id)
film = client.videos.download_content(video.id).read()
report("video", video.status == "completed" and len(film) > 1000)

line = {
    "custom_id": "first",
    "method": "POST",
    "url": "/v1/chat/completions",
    "body": {"model": "sandbox/echo", "max_tokens": 20, "messages": [{"role": "user", "content": SAID}]},
}
lines = client.files.create(purpose="batch", file=("lines.jsonl", json.dumps(line).encode()))
batch = client.batches.create(
    input_file_id=lines.id, endpoint="/v1/chat/completions", completion_window="24h"
)
while batch.status in ("validating", "in_progress", "finalizing"):
    time.sleep(1)
    batch = client.batches.retrieve(batch.id)
result = json.loads(client.files.content(batch.output_file_id).text)
report("batch", batch.status == "completed" and result["custom_id"] == "first")
