// Starts the Firestore emulator on a free port of the loopback address, and prints the port.
// The emulator itself binds every address of the machine.
import { createRequire } from "node:module";

const require = createRequire(`${process.argv[2]}/`);
const { Server } = require("@grpc/grpc-js");
const { FirestoreServer } = require("@firestore-emulator/server");

const bindAsync = Server.prototype.bindAsync;
Server.prototype.bindAsync = function (_address, credentials, done) {
  bindAsync.call(this, "127.0.0.1:0", credentials, (error, port) => {
    if (!error) console.log(port);
    done(error, port);
  });
};

process.stdin.on("end", () => process.exit()).resume(); // the test that started it has ended
await new FirestoreServer().start(0);
