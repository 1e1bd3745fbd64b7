import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** Connects to a service of this machine. */
export async function dial(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

/** Everything received until the connection ends. */
export async function readAll(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  socket.on('error', () => {})
  await once(socket, 'close')
  return text
}

/** Sends raw text and returns everything received until the connection ends. */
export async function talk(url: string, text: string): Promise<string> {
  const socket = await dial(url)
  socket.write(text)
  return readAll(socket)
}

/** The head of the last request of its connection. */
export function requestOf(line: string, headers: readonly string[] = []): string {
  return `${[line, 'host: test', 'connection: close', ...headers].join('\r\n')}\r\n\r\n`
}
