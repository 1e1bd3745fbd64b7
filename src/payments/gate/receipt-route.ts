import { Hono } from 'hono'
import { renderProblem } from '../../catalogue/problem-document.ts'
import type { Service } from '../../catalogue/service.ts'
import { tooMany } from './admission.ts'
import type { TollGate, UnpaidLimiter } from './gate-options.ts'

/** `GET /v1/receipts/{id}`: free, for whoever was given the id. */
export function createReceiptRoute(options: {
  readonly gate: Pick<TollGate, 'findReceipt'>
  readonly service: Service
  readonly limiter: UnpaidLimiter
  readonly readAddress: (request: Request) => string
}): Hono {
  const { gate, service, limiter, readAddress } = options
  return new Hono().get('/v1/receipts/:id', async (context) => {
    const headers = { 'cache-control': 'no-store', 'access-control-allow-origin': '*' }
    const waitSeconds = limiter.take(readAddress(context.req.raw))
    if (waitSeconds > 0)
      return renderProblem({ ...tooMany(waitSeconds), headers }, { baseUrl: service.baseUrl })
    const receipt = await gate.findReceipt(context.req.param('id'))
    if (receipt?.service === service.name) return context.json(receipt, 200, headers)
    return renderProblem(
      { code: 'not_found', detail: 'There is no receipt with this id.', headers },
      { baseUrl: service.baseUrl },
    )
  })
}
