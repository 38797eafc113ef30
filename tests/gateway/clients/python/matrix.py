"""Tries every feature of a Python client with a provider of each format: python matrix.py CLIENT URL KEY

Prints one JSON object per cell: {"way", "feature", "format", "error"}. `error` is null if the feature works.
"""

import asyncio
import json
import os
import sys
import warnings

from pydantic import BaseModel

warnings.filterwarnings("ignore")
CLIENT, BASE, KEY = sys.argv[1:]
# Some clients print, which must not end up between the cells.
cells, sys.stdout = sys.stdout, sys.stderr
V1 = f"{BASE}/v1"
FORMATS = {"chat": "sandbox", "messages": "sandbox-anthropic"}
ASK = [{"role": "user", "content": "Oslo"}]
MAX = {"max_tokens": 500}


class Place(BaseModel):
    city: str


OSLO = Place(city="Oslo")
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
FUNCTION = {"name": "weather", "description": "The weather of a city", "parameters": SCHEMA}


def openai():
    from openai import OpenAI

    client = OpenAI(api_key=KEY, base_url=V1)
    completions = client.chat.completions

    def chat(provider):
        answer = completions.create(model=f"{provider}/echo", messages=ASK)
        assert answer.choices[0].message.content == "Oslo" and answer.usage.total_tokens > 0

    def stream(provider):
        with completions.stream(model=f"{provider}/echo", messages=ASK) as events:
            answer = events.get_final_completion()
        assert answer.choices[0].message.content == "Oslo"

    def tools(provider):
        options = {"model": f"{provider}/tool", "tools": [{"type": "function", "function": FUNCTION}]}
        called = completions.create(messages=ASK, **options).choices[0].message
        results = [
            {"role": "tool", "tool_call_id": call.id, "content": f"warm in {json.loads(call.function.arguments)['city']}"}
            for call in called.tool_calls
        ]
        answer = completions.create(messages=[*ASK, called, *results], **options)
        assert "warm in Oslo" in answer.choices[0].message.content

    def structured(provider):
        answer = completions.parse(model=f"{provider}/echo", messages=ASK, response_format=Place)
        assert answer.choices[0].message.parsed == OSLO

    yield "chat completions", chat, stream, tools, structured
    responses = client.responses

    def respond(provider):
        assert responses.create(model=f"{provider}/echo", input="Oslo").output_text == "Oslo"

    def stream_response(provider):
        with responses.stream(model=f"{provider}/echo", input="Oslo") as events:
            assert events.get_final_response().output_text == "Oslo"

    def call_and_respond(provider):
        options = {"model": f"{provider}/tool", "tools": [{"type": "function", **FUNCTION}]}
        called = responses.create(input="Oslo", **options)
        results = [
            {
                "type": "function_call_output",
                "call_id": call.call_id,
                "output": f"warm in {json.loads(call.arguments)['city']}",
            }
            for call in called.output
            if call.type == "function_call"
        ]
        answer = responses.create(input=results, previous_response_id=called.id, **options)
        assert "warm in Oslo" in answer.output_text

    def structure_response(provider):
        parsed = responses.parse(model=f"{provider}/echo", input="Oslo", text_format=Place)
        assert parsed.output_parsed == OSLO

    yield "responses", respond, stream_response, call_and_respond, structure_response


def anthropic():
    from anthropic import Anthropic, beta_tool

    messages = Anthropic(api_key=KEY, base_url=BASE).messages
    beta = Anthropic(api_key=KEY, base_url=BASE).beta.messages

    def chat(provider):
        answer = messages.create(model=f"{provider}/echo", messages=ASK, **MAX)
        assert answer.content[0].text == "Oslo"

    def stream(provider):
        with messages.stream(model=f"{provider}/echo", messages=ASK, **MAX) as events:
            assert "".join(events.text_stream) == "Oslo"

    @beta_tool
    def weather(city: str) -> str:
        """The weather of a city."""
        return f"warm in {city}"

    def tools(provider):
        runner = beta.tool_runner(model=f"{provider}/tool", messages=ASK, tools=[weather], **MAX)
        assert "warm in Oslo" in runner.until_done().content[0].text

    def structured(provider):
        answer = messages.parse(model=f"{provider}/echo", messages=ASK, output_format=Place, **MAX)
        assert answer.parsed_output == OSLO

    yield "messages", chat, stream, tools, structured


def instructor():
    import instructor
    from openai import OpenAI

    def parse(mode, model, **options):
        client = instructor.from_openai(OpenAI(api_key=KEY, base_url=V1), mode=mode)
        return client.chat.completions.create(
            model=model, messages=ASK, response_model=Place, max_retries=0, **options
        )

    def tools(provider):
        assert parse(instructor.Mode.TOOLS, f"{provider}/tool").city == "Oslo"

    def structured(provider):
        assert parse(instructor.Mode.JSON_SCHEMA, f"{provider}/echo").city == "Oslo"

    yield "chat completions", None, None, tools, structured


def langchain():
    from langchain_core.messages import HumanMessage
    from langchain_core.tools import tool

    @tool
    def weather(city: str) -> str:
        """The weather of a city."""
        return f"warm in {city}"

    def with_models(open_model):
        def chat(provider):
            assert open_model(f"{provider}/echo").invoke("Oslo").text == "Oslo"

        def stream(provider):
            pieces = open_model(f"{provider}/echo").stream("Oslo")
            assert "".join(str(piece.text) for piece in pieces) == "Oslo"

        def tools(provider):
            model = open_model(f"{provider}/tool").bind_tools([weather])
            said = [HumanMessage("Oslo")]
            said.append(model.invoke(said))
            said += [weather.invoke(call) for call in said[-1].tool_calls]
            assert "warm in Oslo" in model.invoke(said).text

        def structured(provider):
            model = open_model(f"{provider}/echo").with_structured_output(Place, method="json_schema")
            assert model.invoke("Oslo") == OSLO

        return chat, stream, tools, structured

    if CLIENT == "langchain-anthropic":
        from langchain_anthropic import ChatAnthropic

        yield "messages", *with_models(lambda name: ChatAnthropic(model=name, base_url=BASE, api_key=KEY, **MAX))
        return
    from langchain_openai import ChatOpenAI

    yield "chat completions", *with_models(lambda name: ChatOpenAI(model=name, base_url=V1, api_key=KEY))
    yield (
        "responses",
        *with_models(lambda name: ChatOpenAI(model=name, base_url=V1, api_key=KEY, use_responses_api=True)),
    )


def litellm():
    import litellm

    for way, prefix, base in [("chat completions", "openai", V1), ("messages", "anthropic", BASE)]:

        def call(name, messages=ASK, **options):
            return litellm.completion(
                model=f"{prefix}/{name}", messages=messages, api_base=base, api_key=KEY, **MAX, **options
            )

        def chat(provider):
            assert call(f"{provider}/echo").choices[0].message.content == "Oslo"

        def stream(provider):
            pieces = call(f"{provider}/echo", stream=True)
            assert "".join(piece.choices[0].delta.content or "" for piece in pieces) == "Oslo"

        def tools(provider):
            given = {"tools": [{"type": "function", "function": FUNCTION}]}
            called = call(f"{provider}/tool", **given).choices[0].message
            [made] = called.tool_calls
            result = {"role": "tool", "tool_call_id": made.id, "content": "warm in Oslo"}
            answer = call(f"{provider}/tool", [*ASK, called.model_dump(), result], **given)
            assert "warm in Oslo" in answer.choices[0].message.content

        yield way, chat, stream, tools, None


def llama_index():
    from llama_index.core.llms import ChatMessage
    from llama_index.core.tools import FunctionTool
    from llama_index.llms.openai_like import OpenAILike

    def open_model(name):
        return OpenAILike(
            model=name, api_base=V1, api_key=KEY, is_chat_model=True, is_function_calling_model=True
        )

    def chat(provider):
        assert str(open_model(f"{provider}/echo").complete("Oslo")) == "Oslo"

    def stream(provider):
        pieces = open_model(f"{provider}/echo").stream_complete("Oslo")
        assert "".join(piece.delta for piece in pieces) == "Oslo"

    def tools(provider):
        def weather(city: str) -> str:
            """The weather of a city."""
            return f"warm in {city}"

        model = open_model(f"{provider}/tool")
        answer = model.predict_and_call([FunctionTool.from_defaults(weather)], "Oslo")
        assert str(answer) == "warm in Oslo"

    yield "chat completions", chat, stream, tools, None


def pydantic_ai():
    from pydantic_ai import Agent, NativeOutput
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider

    given = {
        "provider": OpenAIProvider(base_url=V1, api_key=KEY),
        "profile": OpenAIModelProfile(supports_json_schema_output=True),
    }

    for way, kind in [("chat completions", OpenAIChatModel), ("responses", OpenAIResponsesModel)]:

        def chat(provider):
            assert Agent(kind(f"{provider}/echo", **given)).run_sync("Oslo").output == "Oslo"

        def stream(provider):
            async def read():
                async with Agent(kind(f"{provider}/echo", **given)).run_stream("Oslo") as result:
                    return await result.get_output()

            assert asyncio.run(read()) == "Oslo"

        def tools(provider):
            agent = Agent(kind(f"{provider}/tool", **given))

            @agent.tool_plain
            def weather(city: str) -> str:
                """The weather of a city."""
                return f"warm in {city}"

            assert "warm in Oslo" in agent.run_sync("Oslo").output

        def structured(provider):
            agent = Agent(kind(f"{provider}/echo", **given), output_type=NativeOutput(Place))
            assert agent.run_sync("Oslo").output == OSLO

        yield way, chat, stream, tools, structured


def openai_agents():
    import agents

    agents.set_tracing_disabled(True)

    @agents.function_tool
    def weather(city: str) -> str:
        """The weather of a city."""
        return f"warm in {city}"

    for way, kind in [
        ("chat completions", agents.OpenAIChatCompletionsModel),
        ("responses", agents.OpenAIResponsesModel),
    ]:

        def open_agent(name, **options):
            # A connection belongs to the event loop of its run.
            model = kind(name, agents.AsyncOpenAI(api_key=KEY, base_url=V1))
            return agents.Agent(name="a", model=model, **options)

        def run(name, **options):
            return asyncio.run(agents.Runner.run(open_agent(name, **options), "Oslo")).final_output

        def chat(provider):
            assert run(f"{provider}/echo") == "Oslo"

        def stream(provider):
            async def read():
                result = agents.Runner.run_streamed(open_agent(f"{provider}/echo"), "Oslo")
                async for _ in result.stream_events():
                    pass
                return result.final_output

            assert asyncio.run(read()) == "Oslo"

        def tools(provider):
            assert "warm in Oslo" in run(f"{provider}/tool", tools=[weather])

        def structured(provider):
            assert run(f"{provider}/echo", output_type=Place) == OSLO

        yield way, chat, stream, tools, structured


def smolagents():
    from smolagents import ChatMessage, OpenAIServerModel, ToolCallingAgent, tool

    @tool
    def weather(city: str) -> str:
        """The weather of a city.

        Args:
            city: The city.
        """
        return f"warm in {city}"

    def open_model(name):
        return OpenAIServerModel(model_id=name, api_base=V1, api_key=KEY)

    def said():
        return [ChatMessage(role="user", content=[{"type": "text", "text": "Oslo"}])]

    def chat(provider):
        assert open_model(f"{provider}/echo").generate(said()).content == "Oslo"

    def stream(provider):
        pieces = open_model(f"{provider}/echo").generate_stream(said())
        assert "".join(piece.content or "" for piece in pieces) == "Oslo"

    def tools(provider):
        answer = open_model(f"{provider}/tool").generate(said(), tools_to_call_from=[weather])
        assert answer.tool_calls[0].function.name == "weather"
        assert ToolCallingAgent([weather], open_model(f"{provider}/tool")) is not None

    yield "chat completions", chat, stream, tools, None


def autogen():
    from autogen_core.models import UserMessage
    from autogen_core.tools import FunctionTool
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    info = {
        "vision": False,
        "function_calling": True,
        "json_output": True,
        "structured_output": True,
        "family": "unknown",
    }
    said = [UserMessage(content="Oslo", source="user")]

    def open_model(name):
        return OpenAIChatCompletionClient(model=name, base_url=V1, api_key=KEY, model_info=info)

    def chat(provider):
        assert asyncio.run(open_model(f"{provider}/echo").create(said)).content == "Oslo"

    def stream(provider):
        async def read():
            pieces = [piece async for piece in open_model(f"{provider}/echo").create_stream(said)]
            return pieces[-1].content

        assert asyncio.run(read()) == "Oslo"

    def tools(provider):
        def weather(city: str) -> str:
            return f"warm in {city}"

        tool = FunctionTool(weather, description="The weather of a city")
        [call] = asyncio.run(open_model(f"{provider}/tool").create(said, tools=[tool])).content
        assert json.loads(call.arguments) == {"city": "Oslo"}

    def structured(provider):
        answer = asyncio.run(open_model(f"{provider}/echo").create(said, json_output=Place)).content
        assert Place.model_validate_json(answer) == OSLO

    yield "chat completions", chat, stream, tools, structured


def dspy():
    import dspy

    def open_model(name):
        return dspy.LM(f"openai/{name}", api_base=V1, api_key=KEY, cache=False)

    def chat(provider):
        assert open_model(f"{provider}/echo")("Oslo") == ["Oslo"]

    yield "chat completions", chat, None, None, None


def llm():
    """Simon Willison's command line, which reads its models from a file."""
    import tempfile

    import yaml

    os.environ["LLM_USER_PATH"] = folder = tempfile.mkdtemp()
    names = [f"{provider}/{name}" for provider in FORMATS.values() for name in ["echo", "tool"]]
    entries = [
        {"model_id": n, "model_name": n, "api_base": V1, "api_key_name": "svc", "supports_tools": True, "supports_schema": True}
        for n in names
    ]
    with open(os.path.join(folder, "extra-openai-models.yaml"), "w") as file:
        yaml.safe_dump(entries, file)
    import llm

    def open_model(name):
        model = llm.get_model(name)
        model.key = KEY
        return model

    def chat(provider):
        assert open_model(f"{provider}/echo").prompt("Oslo", stream=False).text() == "Oslo"

    def stream(provider):
        assert "".join(open_model(f"{provider}/echo").prompt("Oslo")) == "Oslo"

    def tools(provider):
        def weather(city: str) -> str:
            """The weather of a city."""
            return f"warm in {city}"

        answer = open_model(f"{provider}/tool").chain("Oslo", tools=[weather])
        assert "warm in Oslo" in answer.text()

    def structured(provider):
        answer = open_model(f"{provider}/echo").prompt("Oslo", schema=Place, stream=False)
        assert Place.model_validate_json(answer.text()) == OSLO

    yield "chat completions", chat, stream, tools, structured


def crewai():
    import tempfile

    # Otherwise, it reports to its makers and keeps a database in the home folder.
    os.environ |= {"CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true"}
    os.environ["XDG_DATA_HOME"] = tempfile.mkdtemp()
    from crewai import LLM, Agent
    from crewai.tools import tool

    @tool
    def weather(city: str) -> str:
        """The weather of a city."""
        return f"warm in {city}"

    for way, api in [("chat completions", "completions"), ("responses", "responses")]:

        def open_model(name, **options):
            # The library removes the first part.
            return LLM(model=f"openai/{name}", base_url=V1, api_key=KEY, api=api, **options)

        def chat(provider):
            assert open_model(f"{provider}/echo").call("Oslo") == "Oslo"

        def stream(provider):
            assert open_model(f"{provider}/echo", stream=True).call("Oslo") == "Oslo"

        def tools(provider):
            model = open_model(f"{provider}/tool")
            agent = Agent(role="a", goal="Be short.", backstory="b", llm=model, tools=[weather])
            assert "warm in" in agent.kickoff("Oslo").raw

        def structured(provider):
            assert open_model(f"{provider}/echo").call("Oslo", response_model=Place) == OSLO

        yield way, chat, stream, tools, structured


def aider():
    import tempfile

    # It keeps its settings and what it knows of models in the home folder, and its history in the current one.
    os.environ["HOME"] = folder = tempfile.mkdtemp()
    os.chdir(folder)
    # The service's own addresses of providers, which these tests set, would come first.
    os.environ |= {"OPENAI_BASE_URL": V1, "ANTHROPIC_BASE_URL": BASE}
    os.environ |= {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
    # What it would load from the network.
    quiet = ["--analytics-disable", "--no-check-update", "--no-show-release-notes", "--no-show-model-warnings"]
    from aider.main import main

    for way, prefix in [("chat completions", "openai"), ("messages", "anthropic")]:

        def ask(provider, *options):
            given = ["--model", f"{prefix}/{provider}/echo", "--no-git", "--yes-always", *quiet, *options]
            answer = main(given, return_coder=True).run("Oslo")
            assert "Oslo" in answer, answer

        def chat(provider):
            ask(provider, "--no-stream")

        def stream(provider):
            ask(provider, "--stream")

        yield way, chat, stream, None, None


CLIENTS = {
    "openai": openai,
    "anthropic": anthropic,
    "openai-1": openai,
    "anthropic-0": anthropic,
    "instructor": instructor,
    "langchain": langchain,
    "langchain-anthropic": langchain,
    "litellm": litellm,
    "llama-index": llama_index,
    "pydantic-ai": pydantic_ai,
    "openai-agents": openai_agents,
    "smolagents": smolagents,
    "autogen": autogen,
    "dspy": dspy,
    "llm": llm,
    "crewai": crewai,
    "aider": aider,
}

for way, *features in CLIENTS[CLIENT]():
    for feature, attempt in zip(["chat", "stream", "tools", "structured"], features, strict=True):
        for name, provider in FORMATS.items():
            if attempt is None:
                continue
            try:
                attempt(provider)
                error = None
            except Exception as failure:
                error = f"{type(failure).__name__}: {failure}"[:300]
            print(json.dumps({"way": way, "feature": feature, "format": name, "error": error}), file=cells)
