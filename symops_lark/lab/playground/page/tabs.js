// Tabs as the ARIA patterns have them: one of them takes the focus, the arrow keys, Home and End go on to others.

export function makeTabs(list, chosen = () => {}) {
  const tabs = [...list.querySelectorAll("[role=tab]")];
  const choose = (tab, focused) => {
    for (const each of tabs) {
      const on = each === tab;
      each.setAttribute("aria-selected", String(on));
      each.tabIndex = on ? 0 : -1;
      document.getElementById(each.getAttribute("aria-controls")).hidden = !on;
    }
    if (focused) tab.focus();
    chosen(tab);
  };
  list.addEventListener("click", ({ target }) => {
    const tab = target.closest("[role=tab]");
    if (tab) choose(tab, true);
  });
  list.addEventListener("keydown", (event) => {
    const at = tabs.indexOf(document.activeElement), last = tabs.length - 1;
    const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    choose(tabs[to], true);
  });
  return (name) => choose(tabs.find((tab) => tab.id === `tab-${name}`), false);
}
