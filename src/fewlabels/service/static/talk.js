/* Requests to the server: JSON both ways, the CSRF token, and errors as sentences. */

export const meta = name => document.querySelector(`meta[name="${name}"]`)?.content ?? "";
export const at = id => document.getElementById(id);
export const number = n => Math.round(n).toLocaleString("en");
export const studyPath = (study, rest = "") => `/api/studies/${encodeURIComponent(study)}${rest}`;

const SAFE = new Set(["GET", "HEAD"]);
const TIMEOUT = 20_000;

/* The response. `status` 0 means that there was none: the server or the network is down. */
export async function talk(method, path, body, { timeout = TIMEOUT, keepalive = false } = {}) {
  const headers = { accept: "application/json" };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (!SAFE.has(method)) headers["x-csrf-token"] = meta("csrf-token");
  try {
    const response = await fetch(path, {
      method, headers, keepalive, credentials: "same-origin", cache: "no-store", redirect: "error",
      body: body === undefined ? undefined : JSON.stringify(body), signal: AbortSignal.timeout(timeout),
    });
    const data = await response.json().catch(() => null);
    return { ok: response.ok, status: response.status, data, wait: wait(response), clock: Date.parse(response.headers.get("date")) };
  } catch {
    return { ok: false, status: 0, data: null, wait: null, clock: NaN };
  }
}

function wait(response) {
  const seconds = Number.parseFloat(response.headers.get("retry-after"));
  return Number.isFinite(seconds) ? 1000 * Math.min(120, Math.max(0, seconds)) : null;
}

/* Why it was refused, for people. */
export function problem(answer) {
  if (answer.status === 0) return "The server does not answer. Try again when it is back.";
  if (answer.status === 401) return "You are signed out. Ask for a new link to sign in again.";
  const said = answer.data?.error ?? answer.data?.detail;
  return typeof said === "string" && said ? said : `The server refused this (${answer.status}).`;
}

/* The token of the person signed in now; "someone else" if the page was made for another person. */
export async function freshToken(person) {
  try {
    const response = await fetch(location.href, { credentials: "same-origin", cache: "no-store", redirect: "error" });
    if (!response.ok) return { 401: "left", 403: "stopped", 404: "stopped" }[response.status] ?? "away";
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const now = page.querySelector('meta[name="fewlabels-person"]')?.content;
    const token = page.querySelector('meta[name="csrf-token"]')?.content;
    if (!now || !token) return "left";
    if (now !== person) return "someone else";
    document.querySelector('meta[name="csrf-token"]').content = token;
    return "fresh";
  } catch {
    return "away";
  }
}
