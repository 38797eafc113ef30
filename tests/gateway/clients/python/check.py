"""Calls the service with one of the Python clients that people install: python check.py CLIENT URL KEY

Fails with the error of the client. The models `openai/gpt-5` and `anthropic/claude-opus-5-5` answer as
python.test.ts scripts them.
"""

import sys
import warnings

from pydantic import BaseModel

warnings.filterwarnings("ignore")
CLIENT, BASE, KEY = sys.argv[1:]
V1 = f"{BASE}/v1"
ASK = [{"role": "user", "content": "Oslo"}]


class Place(BaseModel):
    city: str


OSLO = Place(city="Oslo")


def openai_parse():
    from openai import OpenAI

    client = OpenAI(api_key=KEY, base_url=V1)
    parsed = client.chat.completions.parse(model="sandbox/echo", messages=ASK, response_format=Place)
    assert parsed.choices[0].message.parsed == OSLO


def openai_cost():
    from openai import OpenAI

    options = {"stream": True, "stream_options": {"include_usage": True}}
    stream = OpenAI(api_key=KEY, base_url=V1).chat.completions.create(
        model="sandbox/echo", messages=ASK, **options
    )
    assert list(stream)[-1].usage.cost > 0


def openai_responses():
    from openai import OpenAI

    responses = OpenAI(api_key=KEY, base_url=V1).responses
    assert responses.parse(model="sandbox/echo", input=ASK, text_format=Place).output_parsed == OSLO
    with responses.stream(model="sandbox/echo", input="Oslo") as stream:
        types = [event.type for event in stream]
        response = stream.get_final_response()
    assert types[0] == "response.created" and types[-1] == "response.completed"
    assert response.output_text == "Oslo" and response.usage.total_tokens > 0
    again = responses.create(model="sandbox/echo", input="Graz", previous_response_id=response.id)
    assert again.output_text == "Graz" and responses.retrieve(again.id).output_text == "Graz"


def anthropic_tool_runner():
    from anthropic import Anthropic, beta_tool

    cities = []

    @beta_tool
    def weather(city: str) -> str:
        """The weather of a city."""
        cities.append(city)
        return f"warm in {city}"

    messages = Anthropic(api_key=KEY, base_url=BASE).beta.messages
    for model in ["sandbox-anthropic/tool", "sandbox/tool"]:
        runner = messages.tool_runner(model=model, max_tokens=200, messages=ASK, tools=[weather])
        assert "warm in Oslo" in runner.until_done().content[0].text
    assert cities == ["Oslo", "Oslo"]


def instructor_tools():
    import instructor
    from openai import OpenAI

    client = instructor.from_openai(OpenAI(api_key=KEY, base_url=V1), mode=instructor.Mode.TOOLS)
    create = client.chat.completions.create
    place = create(model="anthropic/claude-opus-5-5", messages=ASK, response_model=Place, max_retries=0)
    # It adds the response to the object, which is therefore not equal to another.
    assert place.city == "Oslo"


def pydantic_ai_output():
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(base_url=V1, api_key=KEY)
    agent = Agent(OpenAIChatModel("anthropic/claude-opus-5-5", provider=provider), output_type=Place)
    assert agent.run_sync("Oslo").output == OSLO


def pydantic_ai_responses():
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(base_url=V1, api_key=KEY)
    agent = Agent(OpenAIResponsesModel("sandbox/tool", provider=provider))

    @agent.tool_plain
    def weather(city: str) -> str:
        """The weather of a city."""
        return f"warm in {city}"

    assert "warm in Oslo" in agent.run_sync("Oslo").output


def langchain_responses():
    from langchain_core.messages import HumanMessage, ToolMessage
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI

    @tool
    def weather(city: str) -> str:
        """The weather of a city."""
        return f"warm in {city}"

    model = ChatOpenAI(model="sandbox/tool", base_url=V1, api_key=KEY, use_responses_api=True)
    messages = [HumanMessage("Oslo")]
    called = model.bind_tools([weather]).invoke(messages)
    messages += [called, *[weather.invoke(call) for call in called.tool_calls]]
    assert isinstance(messages[-1], ToolMessage)
    assert "warm in Oslo" in model.bind_tools([weather]).invoke(messages).text
    assert "warm in Oslo" in "".join(str(chunk.text) for chunk in model.stream(messages))


def litellm_prefix():
    import litellm

    answer = litellm.completion(model="openai/sandbox/echo", messages=ASK, api_base=V1, api_key=KEY)
    assert answer.choices[0].message.content == "Oslo"


def agents_tools():
    import agents

    agents.set_tracing_disabled(True)
    agents.set_default_openai_api("chat_completions")
    client = agents.AsyncOpenAI(api_key=KEY, base_url=V1)
    agents.set_default_openai_client(client, use_for_tracing=False)

    @agents.function_tool
    def weather(city: str) -> str:
        """The weather of a city."""
        return f"warm in {city}"

    model = agents.OpenAIChatCompletionsModel("sandbox/tool", client)
    agent = agents.Agent(name="a", model=model, tools=[weather])
    assert "warm in Oslo" in agents.Runner.run_sync(agent, "Oslo").final_output
    # The library removes the first part.
    agent = agents.Agent(name="b", model="openai/gpt-5")
    assert agents.Runner.run_sync(agent, "Oslo").final_output == "Oslo"


def agents_responses():
    import asyncio

    import agents

    agents.set_tracing_disabled(True)
    client = agents.AsyncOpenAI(api_key=KEY, base_url=V1)

    @agents.function_tool
    def weather(city: str) -> str:
        """The weather of a city."""
        return f"warm in {city}"

    async def run_both():
        model = agents.OpenAIResponsesModel("sandbox/tool", client)
        agent = agents.Agent(name="a", model=model, tools=[weather])
        assert "warm in Oslo" in (await agents.Runner.run(agent, "Oslo")).final_output
        streamed = agents.Runner.run_streamed(agent, "Oslo")
        async for _ in streamed.stream_events():
            pass
        assert "warm in Oslo" in streamed.final_output

    asyncio.run(run_both())


def llama_index_default_temperature():
    from llama_index.llms.openai_like import OpenAILike

    llm = OpenAILike(model="openai/gpt-5", api_base=V1, api_key=KEY, is_chat_model=True)
    assert str(llm.complete("Oslo")) == "Oslo"


def wrong_key():
    import openai

    client = openai.OpenAI(api_key=KEY[:-1] + ("y" if KEY.endswith("x") else "x"), base_url=V1)
    try:
        client.chat.completions.create(model="sandbox/echo", messages=ASK)
    except openai.AuthenticationError as error:
        assert error.response.headers["x-should-retry"] == "false"
    else:
        raise AssertionError("the key was accepted")


CHECKS = {
    "openai": [openai_parse, openai_responses, openai_cost, wrong_key],
    "anthropic": [anthropic_tool_runner],
    "instructor": [instructor_tools],
    "pydantic-ai": [pydantic_ai_output, pydantic_ai_responses],
    "litellm": [litellm_prefix],
    "langchain": [langchain_responses],
    "openai-agents": [agents_responses, agents_tools],
    "llama-index": [llama_index_default_temperature],
}

for check in CHECKS[CLIENT]:
    check()
    print("ok", check.__name__)
