/** Hex as long as a signature (65 bytes), or longer, such as call data that contains one. */
const LONG_HEX = /(0x)?[0-9a-fA-F]{130,}/g

/** What a log may say of an error: clients of chains write whole requests, with their signatures, into theirs. */
export function toQuietError(error: unknown): { readonly name: string; readonly message: string } {
  if (!(error instanceof Error)) return { name: 'Error', message: 'something that is no error was thrown' }
  return { name: error.name, message: error.message.replaceAll(LONG_HEX, '[hex]') }
}
