/** The whole body, its first part up to the bound, or what came before it failed. */
export type BodyEnd = 'whole' | 'cut' | 'failed'

/** Reads at most so many bytes of a response; the rest is cancelled. Never throws. */
export async function readBounded(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly end: BodyEnd }> {
  const pieces: Uint8Array[] = []
  let sizeBytes = 0
  let end: BodyEnd = 'whole'
  try {
    for await (const piece of body ?? []) {
      pieces.push(piece.subarray(0, maxBytes - sizeBytes))
      sizeBytes += piece.byteLength
      if (sizeBytes <= maxBytes) continue
      end = 'cut'
      break
    }
  } catch {
    end = 'failed'
  }
  return { bytes: Buffer.concat(pieces), end }
}
