import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createEndTogether } from './end-together.ts'

const endTogether = createEndTogether()
const server = createServer()
server.listen(0, '127.0.0.1')
await once(server, 'listening')
after(() => server.close())

/** Two requests that wait for their answers, and the texts that their clients will receive. */
async function askTwice() {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const requested: ServerResponse[] = []
  const texts: Promise<string>[] = []
  for (let at = 0; at < 2; at += 1) {
    const request = once(server, 'request')
    texts.push(fetch(url).then((answer) => answer.text()))
    const [, outgoing] = (await request) as [unknown, ServerResponse]
    requested.push(outgoing)
  }
  const [first, second] = requested
  assert.ok(first && second)
  return { first, second, texts }
}

test('answers of one turn of the loop are written at its end, each to its own client', async () => {
  const endInTurn = createEndTogether(Number.POSITIVE_INFINITY)
  const { first, second, texts } = await askTwice()
  endInTurn(first, 'one')
  endInTurn(second, 'two')
  assert.deepEqual([first.writableEnded, second.writableEnded], [false, false])
  await nextTurn()
  assert.deepEqual([first.writableEnded, second.writableEnded], [true, true])
  assert.deepEqual(await Promise.all(texts), ['one', 'two'])
})

test('in a long turn an answer waits only for the next one that is ready', async () => {
  const { first, second, texts } = await askTwice()
  endTogether(first, 'one')
  const untilMs = performance.now() + 3
  while (performance.now() < untilMs);
  endTogether(second, 'two')
  assert.deepEqual([first.writableEnded, second.writableEnded], [true, true])
  assert.deepEqual(await Promise.all(texts), ['one', 'two'])
})

test('a disconnected client does not delay other answers', async () => {
  const { first, second, texts } = await askTwice()
  endTogether(first, 'one')
  endTogether(second, 'two')
  first.destroy()
  await assert.rejects(texts[0] as Promise<string>)
  assert.equal(await texts[1], 'two')
})
