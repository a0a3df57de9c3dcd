/* The table: chosen below the server's data folder, uploaded, or named. */

import { at, meta, problem, talk } from "../talk.js";
import { age, button, made, size } from "./dom.js";

let chosen = null; // what is called with the source of a table
let most = 0;

export function start(use) {
  chosen = use;
  browse("");
  listUploads();
  at("use-source").addEventListener("click", () => named());
  at("source").addEventListener("keydown", event => { if (event.key === "Enter") { event.preventDefault(); named(); } });
  at("file").addEventListener("change", () => { if (at("file").files.length) upload(at("file").files[0]); });
  const drop = at("drop");
  for (const kind of ["dragenter", "dragover"]) drop.addEventListener(kind, event => { event.preventDefault(); drop.classList.add("over"); });
  for (const kind of ["dragleave", "drop"]) drop.addEventListener(kind, event => { event.preventDefault(); drop.classList.remove("over"); });
  drop.addEventListener("drop", event => { if (event.dataTransfer.files.length) upload(event.dataTransfer.files[0]); });
}

function named() {
  const source = at("source").value.trim();
  if (source) chosen(source, source);
}

async function browse(folder) {
  const answer = await talk("GET", `/api/files?folder=${encodeURIComponent(folder)}`);
  if (!answer.ok) return said(problem(answer));
  said("");
  const { folders, files, more, allowed } = answer.data;
  crumbs(answer.data.folder, files.some(file => file.kind !== "Excel"));
  const below = name => (answer.data.folder ? `${answer.data.folder}/${name}` : name);
  at("files").replaceChildren(
    ...folders.map(name => row(button(`${name}/`, () => browse(below(name)), { class: "quiet" }), "folder")),
    ...files.map(file => row(button(file.name, () => chosen(file.source, file.name), { class: "quiet" }), file.kind, size(file.bytes), age(file.at))),
  );
  at("files-none").hidden = folders.length + files.length > 0;
  at("files").closest("table").hidden = folders.length + files.length === 0;
  if (more) at("files").append(row(made("span", { class: "soft", text: "… and more: name the table below" }), ""));
  at("allowed").textContent = allowed.length ? `; or below ${allowed.join(", ")}` : "";
}

const said = text => { at("table-problem").textContent = text; at("table-problem").hidden = !text; };

function row(first, kind, bytes = "", changed = "") {
  const cell = (name, text, number) => made("td", { "data-name": name, class: number ? "number" : undefined, text });
  first.dir = "auto";
  return made("tr", {}, made("th", { scope: "row" }, first), cell("kind", kind), cell("size", bytes, true), cell("changed", changed));
}

function crumbs(folder, isTable) {
  const parts = folder ? folder.split("/") : [];
  const steps = [button("data folder", () => browse(""), { class: "quiet" })];
  parts.forEach((part, i) => steps.push(made("span", { text: "/", "aria-hidden": "true" }), button(part, () => browse(parts.slice(0, i + 1).join("/")), { class: "quiet" })));
  if (folder && isTable) steps.push(button("Use the folder as one table", () => chosen(folder, folder), { class: "whole" }));
  at("crumbs").replaceChildren(...steps);
}

/* Uploads: sent as they are, with the share that has arrived. */
function upload(file) {
  const told = text => { at("upload-problem").textContent = text; at("upload-problem").hidden = !text; };
  told("");
  at("upload-told").textContent = "";
  if (file.size > most) {
    at("file").value = "";
    return told(`A file may have ${size(most)}, and this one has ${size(file.size)}: upload it as Parquet, or put it into the data folder.`);
  }
  const sending = new XMLHttpRequest();
  sending.open("POST", `/api/uploads?name=${encodeURIComponent(file.name)}`);
  sending.setRequestHeader("content-type", "application/octet-stream");
  sending.setRequestHeader("x-csrf-token", meta("csrf-token"));
  sending.responseType = "json";
  sending.upload.addEventListener("progress", event => progress(event.loaded, event.total || file.size));
  const ended = () => { at("uploading").hidden = true; at("file").value = ""; at("file").disabled = false; };
  sending.addEventListener("load", async () => {
    ended();
    if (sending.status !== 201) return told(problem({ status: sending.status, data: sending.response }));
    const { source, name, changed } = sending.response;
    at("upload-told").textContent = `${name} is uploaded. ${changed ?? ""}`;
    await listUploads();
    chosen(source, name);
  });
  sending.addEventListener("error", () => { ended(); told("The upload broke off. Try again; a file that is too large is refused this way, too."); });
  sending.addEventListener("abort", ended);
  at("stop-upload").onclick = () => sending.abort();
  at("uploading").hidden = false;
  at("file").disabled = true;
  progress(0, file.size);
  sending.send(file);
}

function progress(done, all) {
  at("sent").value = all ? done / all : 0;
  at("uploading-words").textContent = done < all ? `${size(done)} of ${size(all)}` : "Reading it as a table…";
}

async function listUploads() {
  const answer = await talk("GET", "/api/uploads");
  if (!answer.ok) return;
  const { uploads, most_bytes: bytes, days } = answer.data;
  most = bytes;
  at("drop").hidden = !bytes;
  at("no-uploads").hidden = Boolean(bytes);
  at("upload-hint").textContent = `Up to ${size(bytes)}. It is kept in the server's data folder until somebody deletes it${days ? `, or for ${days} days if no study reads it` : ""}.`;
  at("uploads").replaceChildren(...uploads.map(one => uploaded(one, days)));
}

function uploaded(one, days) {
  const use = button(one.name, () => chosen(one.source, one.name), { class: "quiet", dir: "auto" });
  const remove = button("Delete", () => removed(one), { class: "quiet", "aria-label": `Delete ${one.name}` });
  const read = one.studies.length ? `read by ${one.studies.join(", ")}` : days ? `read by no study: deleted after ${days} days` : "read by no study";
  return made("li", {}, made("div", {}, use, " ", remove), made("p", { class: "hint", text: `${size(one.bytes)}, ${age(one.at)}, ${read}` }));
}

async function removed(one) {
  const dialog = at("delete-sure");
  at("delete-words").textContent = one.studies.length
    ? `${one.name} is the table of ${one.studies.join(", ")}. Without it they cannot show texts to labelers, grow or be recomputed. Answers and results stay.`
    : `${one.name} is deleted from the server. No study reads it.`;
  dialog.returnValue = "no";
  dialog.showModal();
  await new Promise(done => dialog.addEventListener("close", done, { once: true }));
  if (dialog.returnValue !== "yes") return;
  const answer = await talk("DELETE", `/api/uploads/${encodeURIComponent(one.name)}?although_read=${one.studies.length > 0}`);
  at("upload-told").textContent = answer.ok ? `${one.name} is deleted.` : "";
  at("upload-problem").textContent = answer.ok ? "" : problem(answer);
  at("upload-problem").hidden = answer.ok;
  listUploads();
}
