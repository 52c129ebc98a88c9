// Starts a model server of the npm registry on a free port of the loopback address, and prints the port.
import { createRequire } from "node:module";

const require = createRequire(`${process.argv[2]}/`);
const { LLMock } = require("@copilotkit/aimock");

const REPLY = '{"paragraphs": [[{"text": "The bridge closed at noon.", "document": 7, "quote": "closed at noon"}]]}';
const SCHEMAS = "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.";
const MODELS = {
  writer: [{ content: REPLY, usage: { prompt_tokens: 1200, completion_tokens: 34 } }],
  fenced: [{ content: "```json\n" + REPLY + "\n```" }],
  "cut-off": [{ content: REPLY.slice(0, 30), finishReason: "length" }],
  filtered: [{ content: "The bridge", finishReason: "content_filter" }],
  busy: [{ error: { message: "Rate limit reached", code: "rate_limit_exceeded" }, status: 429, retryAfter: 7 }],
  quota: [{ error: { message: "You exceeded your current quota", code: "insufficient_quota" }, status: 429 }],
  broken: [{ error: { message: "The engine failed", type: "server_error" }, status: 500 }],
  malformed: [{ content: REPLY }, { chaos: { malformedRate: 1 } }],
  disconnecting: [{ content: REPLY }, { chaos: { disconnectRate: 1 } }],
  slow: [{ content: REPLY }, { chaos: { latencyMs: 3000 } }],
};

const server = new LLMock({ port: 0, host: "127.0.0.1", auth: { apiKeys: ["right-key"] } });
server.on({ model: "no-schema", responseFormat: "json_schema" }, { error: { message: SCHEMAS }, status: 400 });
server.on({ model: "no-schema" }, { content: REPLY });
for (const [model, [response, options]] of Object.entries(MODELS)) server.on({ model }, response, options);

process.stdin.on("end", () => process.exit()).resume(); // the test that started it has ended
console.log(new URL(await server.start()).port);
