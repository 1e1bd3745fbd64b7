import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { PermanentError, Unreachable } from '@tollbook/flow/failure'
import { parseJson } from '@tollbook/flow/parse-json'
import * as z from 'zod'
import type { DuckdbDatabase } from './duckdb-database.ts'

/** Where other processes of this user find the reader. */
const FILE = 'reader.json'
const noticeSchema = z.object({ pid: z.int(), port: z.int(), token: z.string() })

type Rows = DuckdbDatabase['rows']

/**
 * Lets other processes of this user query a ledger that this one holds, over loopback: a statement of theirs runs inside a
 * SELECT, so it can only read. The folder's `reader.json`, which only the user can read, has the port and a secret.
 */
export async function serveReader(folder: string, rows: Rows): Promise<{ close(): Promise<void> }> {
  const token = randomBytes(32).toString('hex')
  const server = createServer((request, response) => {
    answer({ request, response, token, rows }).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  const { port } = server.address() as AddressInfo
  const file = join(folder, FILE)
  rmSync(file, { force: true })
  await writeFile(file, JSON.stringify({ pid: process.pid, port, token }), { mode: 0o600, flush: true })
  return {
    async close() {
      rmSync(file, { force: true })
      server.close()
      server.closeAllConnections()
    },
  }
}

/** The rows of a ledger that another process of this machine holds; null if none serves it. */
export async function findReader(
  folder: string,
): Promise<{ readonly pid: number; readonly rows: Rows } | null> {
  const text = await readFile(join(folder, FILE), 'utf8').catch(() => 'null')
  const notice = noticeSchema.safeParse(parseJson(text))
  if (!notice.success) return null
  const { pid, port, token } = notice.data
  const rows: Rows = async (sql, signal) => {
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: sql,
      signal,
    }).catch((cause) => {
      signal.throwIfAborted()
      throw new Unreachable(`the process ${pid}, which has opened the ledger, does not answer`, { cause })
    })
    const text = await response.text()
    if (!response.ok) throw new PermanentError(`the process ${pid}, which has opened the ledger: ${text}`)
    // The last line is empty. Without it the answer was cut off.
    const lines = text.split('\n')
    if (lines.pop() !== '') throw new Unreachable(`the process ${pid} ended while it read the ledger`)
    return lines.map((line) => line.split('\t'))
  }
  try {
    await rows('SELECT 1', AbortSignal.timeout(5_000))
    return { pid, rows }
  } catch {
    // Of a process that was killed.
    return null
  }
}

type Exchange = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly token: string
  readonly rows: Rows
}

async function answer({ request, response, token, rows }: Exchange): Promise<void> {
  const own = Buffer.from(`Bearer ${token}`)
  const sent = Buffer.from(request.headers.authorization ?? '')
  if (sent.length !== own.length || !timingSafeEqual(sent, own)) {
    response.writeHead(401).end()
    return
  }
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const leaving = new AbortController()
  response.once('close', () => leaving.abort())
  try {
    const found = await rows(Buffer.concat(pieces).toString(), leaving.signal)
    await pipeline(Readable.from(toLines(found)), response)
  } catch (error) {
    if (!response.headersSent) response.writeHead(500)
    response.end(error instanceof Error ? error.message : String(error))
  }
}

function* toLines(rows: readonly (readonly string[])[]): Generator<string> {
  const linesAtOnce = 1_000
  for (let at = 0; at < rows.length; at += linesAtOnce)
    yield rows
      .slice(at, at + linesAtOnce)
      .map((row) => `${row.join('\t')}\n`)
      .join('')
}
