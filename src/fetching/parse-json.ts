/** The value of a JSON text, bytes as UTF-8; undefined, which no JSON means, where it is none. */
export function parseJson(text: Uint8Array | string): unknown {
  try {
    return JSON.parse(typeof text === 'string' ? text : new TextDecoder().decode(text))
  } catch {
    return undefined
  }
}
