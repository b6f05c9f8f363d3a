import { readError } from "../../api/errors";
import { transport } from "../../api/services";
import type { OutputBuffer } from "../../output/output_buffer";
import { isOver } from "../../parts/states";
import type { Run } from "../project_queries";

/** Returns the stored output. A link could not send the project. */
async function readOutput(projectId: string, run: Run): Promise<Blob> {
  const headers = { "Svc-Project": projectId, Accept: "text/plain" };
  const response = await transport.send(new Request(`/api/runs/${run.id}/output`, { headers }));
  if (!response.ok) throw await readError(response);
  return response.blob();
}

/** Saves the output as a file: what is stored of a run that is over, what the page holds of another one. */
export async function saveOutput(projectId: string, run: Run, buffer: OutputBuffer): Promise<void> {
  const text = isOver(run.status) ? await readOutput(projectId, run) : new Blob([buffer.slice(buffer.first, buffer.last), "\n"]);
  const address = URL.createObjectURL(text);
  const link = document.createElement("a");
  link.href = address;
  link.download = `run-${run.id}.txt`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
