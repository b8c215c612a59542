// The page around the terminal: where it connects to, which keys stay the browser's, and what is said when it ends.
"use strict";

(() => {
  const place = document.getElementById("terminal");
  const said = document.getElementById("said");
  const again = document.getElementById("again");
  const RETRY = 3000;
  const WORDS = {
    4000: "The program has ended. Everything is saved.",
    4001: "The program broke and has ended. What was decided is kept, and so is a note that was open.",
    4002: "Nothing was typed for a long time, so the program has ended. Everything is saved.",
    4003: "This link is not valid any more. Ask whoever gave it to you for another one.",
    4004: "Too many pages are open: on this link, or on the server. Close one, then open this again.",
    4005: "What was sent is too large, or nothing that this page sends. The program has ended; everything is saved.",
    1009: "What was pasted is too large. The program has ended; everything is saved.",
  };
  const CUT = "The connection is cut. What was decided is kept; this page goes on as soon as the server is back.";

  const url = new URL("ws", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  place.dataset.sessionWebsocketUrl = url.href;

  again.addEventListener("click", () => location.reload());

  function say(words, offer) {
    document.body.classList.remove("-on");
    said.textContent = words;
    again.hidden = !offer;
    if (offer) again.focus();
  }

  async function comeBack() {
    try {
      const answer = await fetch(location.href, { cache: "no-store" });
      if (answer.ok) return location.reload();
      if (answer.status === 403) return say(WORDS[4003], false);
    } catch {
      // it is not back yet
    }
    setTimeout(comeBack, RETRY);
  }

  window.WebSocket = class extends window.WebSocket {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", () => this.begin(), { once: true });
      this.addEventListener("close", (event) => this.ended(event.code));
    }

    begin() {
      document.body.classList.add("-on");
      place.querySelector("textarea").focus();
    }

    ended(code) {
      if (code in WORDS) return say(WORDS[code], code !== 4003);
      say(CUT, false);
      setTimeout(comeBack, RETRY / 3);
    }

    send(data) {
      if (this.readyState === 1) super.send(data);
    }
  };

  // Text in a translation may be an address; nothing on this page opens one.
  window.open = () => null;

  // Without encryption a browser has no clipboard to write to, but still copies what is selected in a field.
  if (!navigator.clipboard) {
    const writeText = async (text) => {
      const before = document.activeElement;
      const field = document.createElement("textarea");
      field.value = text;
      document.body.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
      if (before) before.focus();
    };
    Object.defineProperty(navigator, "clipboard", { value: { writeText, readText: async () => "" } });
  }

  // Reload, full screen and paste stay the browser's: a paste then comes as one, and a reload is no key of the app.
  window.addEventListener(
    "keydown",
    (event) => {
      const command = (event.ctrlKey || event.metaKey) && !event.altKey;
      const key = event.key.toLowerCase();
      if (key === "f5" || key === "f11" || (command && (key === "r" || key === "v"))) event.stopImmediatePropagation();
    },
    true,
  );

  // The terminal measures its cells once, so its face must be there before it.
  async function begin() {
    const faces = ["16px", "bold 16px", "italic 16px"].map((style) => document.fonts.load(`${style} "Roboto Mono"`, "m"));
    faces.push(document.fonts.load('16px "Roboto Mono"', "译"));
    await Promise.race([Promise.allSettled(faces), new Promise((done) => setTimeout(done, 3000))]);
    const script = document.createElement("script");
    script.src = "/static/textual.js";
    script.addEventListener("load", () => window.onload(new Event("load")));
    script.addEventListener("error", () => say(CUT, true));
    document.body.append(script);
  }

  if (document.readyState === "complete") begin();
  else window.addEventListener("load", begin, { once: true });
})();
