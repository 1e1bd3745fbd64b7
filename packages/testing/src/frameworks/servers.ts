import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { getRequestListener } from '@hono/node-server'
import { paid as paidInExpress, payment as paymentInExpress } from '@tollbook/gate/express'
import { paid as paidInFastify, payment as paymentInFastify } from '@tollbook/gate/fastify'
import { paid as paidInHono, payment as paymentInHono } from '@tollbook/gate/hono'
import { paid as paidInNext, payment as paymentInNext } from '@tollbook/gate/next'
import { paid as paidInNode, payment as paymentInNode } from '@tollbook/gate/node'
import type { SellerGate } from '@tollbook/gate/seller/seller-gate'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { WORK_ROUTES, type Worked, type Worker, type WorkName } from './work.ts'

export type FrameworkServer = { readonly url: string; close(): Promise<void> }
type StartServer = (gate: SellerGate, worker: Worker) => Promise<FrameworkServer>

const ROUTES = Object.entries(WORK_ROUTES) as [WorkName, (typeof WORK_ROUTES)[WorkName]][]
const JSON_TYPE = { 'content-type': 'application/json' }

/** Servers with the same paid routes, each in the way of its framework. */
export const FRAMEWORKS: Readonly<Record<string, StartServer>> = {
  hono: (gate, worker) => {
    const app = new Hono()
    for (const [name, { method, path, route }] of ROUTES)
      app.on(method, path, paidInHono(gate, route), async (c) => {
        const parameter = new URL(c.req.url).pathname.split('/')[2] ?? ''
        return toResponse(await worker.work(name, parameter, await c.req.text(), paymentInHono(c)))
      })
    return listen(getRequestListener(app.fetch))
  },
  express: (gate, worker) => {
    const app = express()
    for (const [name, { method, path, route }] of ROUTES)
      app[method === 'GET' ? 'get' : 'post'](
        path,
        paidInExpress(gate, route),
        express.text({ type: () => true }),
        async (request, response) => {
          const { body } = request
          const parameter = request.path.split('/')[2] ?? ''
          const worked = await worker.work(name, parameter, body ?? '', paymentInExpress(request))
          await write(response, worked)
        },
      )
    app.use(((_error, _request, response, _next) => {
      if (!response.headersSent) response.status(500).json({ failed: true })
    }) satisfies express.ErrorRequestHandler)
    return listen(app)
  },
  fastify: async (gate, worker) => {
    const app = fastify()
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    for (const [name, { method, path, route }] of ROUTES)
      app.route({
        method,
        url: path,
        ...paidInFastify(gate, route),
        handler: async (request, reply) => {
          const { name: parameter = '' } = request.params as { name?: string }
          const given = typeof request.body === 'string' ? request.body : JSON.stringify(request.body)
          const {
            status = 200,
            headers,
            body,
          } = await worker.work(name, parameter, given, paymentInFastify(request))
          reply.code(status).headers({ ...JSON_TYPE, ...headers })
          return reply.send(isIterable(body) ? Readable.from(body) : body)
        },
      })
    await app.listen({ port: 0, host: '127.0.0.1' })
    return { url: urlOf(app.server), close: () => app.close() }
  },
  next: (gate, worker) => {
    const handlers = ROUTES.map(([name, { method, path, route }]) => {
      const wrap = paidInNext(gate, { ...route, path })
      const handle = wrap(async (request: Request, { params }: { params: { name: string } }) =>
        toResponse(await worker.work(name, params.name, await request.text(), paymentInNext(request))),
      )
      return { method, path, handle }
    })
    return listen(
      getRequestListener(async (request) => {
        const [, first, parameter = ''] = new URL(request.url).pathname.split('/')
        const found = handlers.find(({ path }) => path.split('/')[1] === first)
        const isFor = found && (found.method === request.method || request.method === 'HEAD')
        return isFor
          ? found.handle(request, { params: { name: parameter } })
          : new Response(null, { status: 404 })
      }),
    )
  },
  node: (gate, worker) => {
    const handlers = ROUTES.map(([name, { path, route }]) => {
      const handle = paidInNode(gate, { ...route, path })(
        async (message: IncomingMessage, response: ServerResponse) => {
          const parameter = message.url?.split('/')[2] ?? ''
          await write(
            response,
            await worker.work(name, parameter, await text(message), paymentInNode(message)),
          )
        },
      )
      return { path, handle }
    })
    return listen((message, response) => {
      const found = handlers.find(({ path }) => path.split('/')[1] === message.url?.split('/')[1])
      if (found) return void found.handle(message, response)
      response.writeHead(404).end()
    })
  },
}

function toResponse({ status = 200, headers, body }: Worked): Response {
  const streamed = isIterable(body) ? ReadableStream.from(toBytes(body)) : body
  return new Response(streamed as ReadableStream<Uint8Array> | string, {
    status,
    headers: { ...JSON_TYPE, ...headers },
  })
}

async function* toBytes(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const piece of texts) yield Buffer.from(piece)
}

async function write(response: ServerResponse, { status = 200, headers, body }: Worked): Promise<void> {
  response.writeHead(status, { ...JSON_TYPE, ...headers })
  if (isIterable(body)) await pipeline(Readable.from(body), response)
  else response.end(body)
}

function isIterable(body: Worked['body']): body is AsyncIterable<string> {
  return typeof body === 'object' && Symbol.asyncIterator in body
}

async function listen(listener: RequestListener): Promise<FrameworkServer> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: urlOf(server),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function urlOf(server: { address(): AddressInfo | string | null }): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
