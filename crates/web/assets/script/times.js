
// Times are relative, with the exact one as title. The server has written them when it made the page: they are brought up to
// date here, in the words of kit/times.rs, and the titles get the zone and the language of the reader.
{
  const words = (at, now) => {
    const seconds = Math.trunc((now - at) / 1000);
    const minutes = Math.floor(Math.abs(seconds) / 60);
    const days = Math.floor(minutes / 1440);
    if (minutes === 0) return "just now";
    if (days === 1) return seconds > 0 ? "yesterday" : "tomorrow";
    const [number, unit] = days >= 365 ? [days / 365, "year"] : days >= 30 ? [days / 30, "month"] : days >= 7 ? [days / 7, "week"]
      : days > 1 ? [days, "day"] : minutes >= 60 ? [minutes / 60, "hour"] : [minutes, "minute"];
    const whole = Math.floor(number);
    const text = `${whole} ${unit}${whole === 1 ? "" : "s"}`;
    return seconds > 0 ? `${text} ago` : `in ${text}`;
  };
  const refresh = () => {
    for (const time of document.querySelectorAll("time[datetime*=T]")) {
      const at = new Date(time.dateTime);
      if (Number.isNaN(at.getTime())) continue;
      const text = words(at, Date.now());
      if (time.textContent !== text) time.textContent = text;
      time.title = at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
    }
  };
  refresh();
  addEventListener("pageshow", ({ persisted }) => persisted && refresh());
  setInterval(() => document.hidden || refresh(), 60_000);
}
