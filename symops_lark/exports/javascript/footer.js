// What is offered outside: plain objects in, plain objects out.
const $outward = (make) => {
  try {
    return $melt(make());
  } catch (error) {
    for (const name of ["document", "diagnostics", "trace"]) {
      const value = error?.[name];
      if (value?.to_dict) error[name] = $melt(value.to_dict());
      else if (Array.isArray(value)) error[name] = value.map((each) => (each.to_dict ? $melt(each.to_dict()) : each));
    }
    throw error;
  }
};
const $text_of = (text) => { if (typeof text !== "string") throw new TypeError("a reply is a text"); return text; };
