// Sets the partition key @KEY@ of an item before it is written.
function setPartitionKey(item) {
  @LINES@
  return item;
}

function get(item, names) {
  let value = item;
  for (const name of names) {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined;
    value = Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

// What is missing, an array or an object makes no text.
const isText = (value) => value !== undefined && (value === null || typeof value !== "object");

// Numbers as JavaScript prints them.
const text = (value) => (isText(value) ? String(value) : "");

// A moment in UTC: RFC 3339, a date or a time without zone, or a number since 1970.
function moment(value, length) {
  let date;
  if (typeof value === "number") {
    date = new Date(Math.floor(Math.abs(value) < 1e11 || value < 0 ? value * 1000 : value));
  } else if (typeof value === "string" && /^\d{4}-\d{2}-\d{2}/.test(value)) {
    const zoned = value.length <= 10 || /(Z|z|[+-]\d{2}:?\d{2})$/.test(value.slice(10));
    date = new Date(zoned ? value : value + "Z");
  }
  return date && !Number.isNaN(date.getTime()) ? date.toISOString().slice(0, length) : "";
}

const first = (text, count) => [...text].slice(0, count).join("");
const last = (text, count) => [...text].slice(-count).join("");
const lower = (text) => text.toLowerCase();
const upper = (text) => text.toUpperCase();
const randomSuffix = (count) => String(1 + Math.floor(Math.random() * count));

// FNV-1a of 32 bits over UTF-8, its halves folded, from 1 to count.
function suffix(value, count) {
  if (!isText(value)) return "";
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text(value))) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return String(1 + ((hash ^ (hash >>> 16)) >>> 0) % count);
}
