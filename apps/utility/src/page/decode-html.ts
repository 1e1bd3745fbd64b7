import htmlEncodingSniffer from 'html-encoding-sniffer'

export type DecodedHtml = {
  readonly text: string
  /** WHATWG name of the encoding, lower case. */
  readonly charset: string
}

/**
 * Decodes the bytes of a page as browsers do: by a byte order mark, else by `Content-Type`, else by the first
 * kilobyte of the page, else as windows-1252 (HTML, section 13.2.3.2).
 * @param contentType value of the header; empty if there was none
 */
export function decodeHtml(bytes: Uint8Array, contentType: string): DecodedHtml {
  const label = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1]
  const encoding = htmlEncodingSniffer(bytes, {
    ...(label !== undefined && { transportLayerEncodingLabel: label }),
    defaultEncoding: isUtf8(bytes) ? 'UTF-8' : 'windows-1252',
  })
  // Encodings in which a page could hide markup from a checker (Encoding Standard, 14.1): browsers show one
  // replacement character.
  if (encoding === 'replacement') return { text: '\ufffd', charset: encoding }
  return { text: new TextDecoder(encoding).decode(bytes), charset: encoding.toLowerCase() }
}

/** A page without a declared encoding is UTF-8 today, if it is valid UTF-8. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}
