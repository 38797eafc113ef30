"""Calls the service with the official Python client of OpenAI: media.py URL KEY"""

import base64
import sys

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
