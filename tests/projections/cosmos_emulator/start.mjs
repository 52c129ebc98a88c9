// Starts the Cosmos DB emulator on a free port of the loopback address, and prints the port.
import { createRequire } from "node:module";

const require = createRequire(`${process.argv[2]}/`);
const { createHttpServer } = require("@vercel/cosmosdb-server");

const server = createHttpServer();
server.listen(0, "127.0.0.1", () => console.log(server.address().port));

process.stdin.on("end", () => process.exit()).resume(); // the test that started it has ended
