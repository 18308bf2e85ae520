// Only comfort: everything on the page works without this file.
"use strict";
// A file dragged anywhere onto the form for one is taken by its field.
document.addEventListener("dragover", (event) => {
  if (document.querySelector("input[type=file]")) event.preventDefault();
});
document.addEventListener("drop", (event) => {
  const field = document.querySelector("input[type=file]");
  if (field && event.dataTransfer && event.dataTransfer.files.length === 1) {
    event.preventDefault();
    field.files = event.dataTransfer.files;
    field.form.requestSubmit();
  }
});
// A double click on a button sends its form once. (It would change nothing twice; this saves the second answer.)
document.addEventListener("submit", (event) => {
  if (event.target.dataset.sent) event.preventDefault();
  else if (event.target.method === "post") event.target.dataset.sent = "yes";
});
window.addEventListener("pageshow", () => {
  for (const form of document.forms) delete form.dataset.sent;
});
