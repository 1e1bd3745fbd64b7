import { openSides } from './inference/sides.ts'
import { runStreams } from './inference/stream-load.ts'
import { createPayers } from './payers.ts'
import { startServer, withServers } from './server-process.ts'
const stub = await startServer('chat-stub', {})
await withServers({ tollbook: ['tollbook', { chatUrl: stub.url }], portkey: ['portkey', {}] }, async (servers) => {
  const sides = await openSides({ ...servers, stub }, createPayers(500))
  const run = async (side: any, streams: number, concurrency: number, plan: any) => {
    const requests = await side.prepare(streams, plan)
    const before = await side.server.readCpu()
    const t = performance.now()
    const load = await runStreams({ url: side.server.url, requests, concurrency, plan })
    const cpu = ((await side.server.readCpu()) - before) / streams
    return `${Math.round(cpu)} µs (${Math.round(performance.now() - t)} ms, ${load.errors.length} errors)`
  }
  for (const side of [sides.ours, sides.portkey]) await run(side, 300, 16, { chunks: 50, gapMs: 1 })
  for (const [name, s] of [['ours', sides.ours], ['portkey', sides.portkey]] as const) {
    const before = await s.server.readCpu(); await new Promise((r) => setTimeout(r, 5000))
    console.log(name, 'idle µs/s', ((await s.server.readCpu()) - before) / 5)
  }
  for (const plan of [{ chunks: 1, gapMs: 10 }, { chunks: 25, gapMs: 10 }, { chunks: 50, gapMs: 10 }, { chunks: 100, gapMs: 10 }])
    for (const [name, s] of [['ours', sides.ours], ['portkey', sides.portkey]] as const) console.log(JSON.stringify(plan), name, await run(s, 100, 4, plan))
})
await stub.close()
