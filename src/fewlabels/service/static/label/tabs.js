/* One tab labels at a time: two would show the same units. The newer one asks, and the person decides. */

export class Tabs {
  constructor(name, { paused, yielded }) {
    this.id = crypto.getRandomValues(new Uint32Array(2)).join("-");
    this.active = false;
    this.yielded = yielded;
    if (typeof BroadcastChannel === "undefined") return;
    this.channel = new BroadcastChannel(name);
    this.channel.onmessage = ({ data }) => {
      if (data?.from === this.id) return;
      if (data?.says === "is anybody here?" && this.active) this.say("here");
      if (data?.says === "here" && !this.active) paused();
      if (data?.says === "mine now" && this.active) this.stop();
    };
  }

  say(says) {
    this.channel?.postMessage({ from: this.id, says });
  }

  /* Waits a moment for another tab to answer; true if none did. */
  async start() {
    this.say("is anybody here?");
    await new Promise(done => setTimeout(done, this.channel ? 60 : 0));
    return true;
  }

  take() {
    this.active = true;
    this.say("mine now");
  }

  stop() {
    this.active = false;
    this.yielded();
  }
}
