// Texts whose colour is too near to what is behind them, as WCAG 2 counts it: 4.5 to 1.
() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const linear = (part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const found = rgb(getComputedStyle(at).backgroundColor);
      if (found[3] === 255) return found;
    }
    return [255, 255, 255];
  };
  const faint = [];
  for (const each of document.querySelectorAll("body *")) {
    const shown = [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) && each.checkVisibility();
    if (!shown || each.matches("textarea, option, .unarrived, :disabled, .unseen")) continue;
    const [dark, bright] = [light(rgb(getComputedStyle(each).color)), light(behind(each))].sort((a, b) => a - b);
    if ((bright + 0.05) / (dark + 0.05) < 4.5) faint.push(`${each.className || each.tagName}: ${each.textContent.slice(0, 30)}`);
  }
  return faint;
}
