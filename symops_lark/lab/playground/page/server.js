// Questions to the server. Of several that replace one another only the last is asked.

export class ServerError extends Error {}

export async function ask(question, told = {}) {
  let response;
  try {
    response = await fetch(`ask/${question}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(told) });
  } catch {
    throw new ServerError("The server does not answer: is symops playground still running?");
  }
  if (!response.ok) throw new ServerError((await response.text()).trim());
  return response.json();
}

// Runs a task now, or, if it is running, once more behind that, with what was asked for last.
export class Latest {
  #task;
  #running = false;
  #waiting = null;
  #timer = 0;
  constructor(task) { this.#task = task; }
  soon(milliseconds, ...given) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.now(...given), milliseconds);
  }
  async now(...given) {
    clearTimeout(this.#timer);
    if (this.#running) { this.#waiting = given; return; }
    this.#running = true;
    try {
      await this.#task(...given);
    } finally {
      this.#running = false;
      const next = this.#waiting;
      this.#waiting = null;
      if (next) this.now(...next);
    }
  }
}
