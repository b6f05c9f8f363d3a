import { execFileSync } from "node:child_process";
import { service } from "./fixtures.mjs";

/** Executes statements as the owner of the tables and returns what they print. */
export const sql = (text) =>
  execFileSync("psql", ["-XAtqv", "ON_ERROR_STOP=1", service.postgresUrl.replace("svc_app@", "svc_owner@"), "-c", text])
    .toString().trim();
