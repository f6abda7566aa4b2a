// Texts without what is at their end. A pattern for it takes quadratic time: engines try it at each place.
export const trimEnd = (text, signs) => {
  let size = text.length;
  while (size > 0 && signs.includes(text[size - 1])) size--;
  return text.slice(0, size);
};
