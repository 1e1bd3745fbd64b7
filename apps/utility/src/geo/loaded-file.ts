import { open, stat } from 'node:fs/promises'

/** The bytes of a file, in memory. */
export type LoadedFile = {
  /** @throws Error of the file system if the file was never read and cannot be. */
  read(): Promise<Buffer>
}

/** How often the file is checked for a newer version. */
const STALE_MS = 60_000
const CHUNK_BYTES = 8 << 20

type Reading = { readonly bytes: Promise<Buffer>; readonly version: number }

/** Reads a file on first use, and again after it has changed; while that fails, the old content is used. */
export function loadFile(path: string, clockMs: () => number = () => performance.now()): LoadedFile {
  let reading: Reading | undefined
  let checkedMs = 0
  const readAgain = async () => {
    const { mtimeMs } = await stat(path)
    if (reading && reading.version === mtimeMs) return
    const next = { bytes: readBytes(path), version: mtimeMs }
    if (reading) await next.bytes
    reading = next
  }
  return {
    async read() {
      if (!reading || clockMs() - checkedMs > STALE_MS) {
        checkedMs = clockMs()
        await readAgain().catch((error: unknown) => {
          if (!reading) throw error
        })
      }
      if (!reading) throw new Error(`${path} was not read`)
      return reading.bytes
    },
  }
}

async function readBytes(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const bytes = Buffer.allocUnsafeSlow(size)
    for (let at = 0; at < size; ) {
      const { bytesRead } = await file.read(bytes, at, Math.min(CHUNK_BYTES, size - at), at)
      if (bytesRead === 0) throw new Error(`${path} became shorter while it was read`)
      at += bytesRead
    }
    return bytes
  } finally {
    await file.close()
  }
}
