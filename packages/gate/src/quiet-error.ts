/** Hex as long as a signature (65 bytes), or longer, such as calldata that contains one. */
const LONG_HEX = /(0x)?[0-9a-fA-F]{130,}/g

/** What may be logged of an error: RPC clients put whole requests, with their signatures, into their messages. */
export function toQuietError(error: unknown): { readonly name: string; readonly message: string } {
  if (!(error instanceof Error)) return { name: 'Error', message: 'a value that is not an error was thrown' }
  return { name: error.name, message: error.message.replaceAll(LONG_HEX, '[hex]') }
}
