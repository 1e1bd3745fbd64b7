import { open } from 'node:fs/promises'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import type { DocumentSource } from '../published/read-document.ts'

/** Documents of the network and of files, for a process. */
export function createDocumentSource(): DocumentSource {
  return {
    fetchPublic: createSafeFetch({ allowPrivateNetwork: false }),
    // For URLs typed by the user, such as that of a service on this machine.
    fetchTyped: createSafeFetch({ allowPrivateNetwork: true }),
    readFile,
  }
}

/** Stops after the limit, whatever size the file reports: it may be a pipe. */
async function readFile(path: string, maxBytes: number): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const chunks: Buffer[] = []
    let sizeBytes = 0
    for await (const chunk of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      sizeBytes += chunk.length
      if (sizeBytes > maxBytes) break
    }
    return Buffer.concat(chunks)
  } finally {
    await file.close()
  }
}
