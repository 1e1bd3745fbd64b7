import { json } from '@tollbook/endpoints/answer'
import { type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { ProblemError } from '@tollbook/http/problem'
import { ALL_TIERS, DEFAULT_TIER } from '@tollbook/models/tiers/tier-table'
import * as z from 'zod'
import { model, toModels } from '../../../../chat/model-list.ts'
import type { InferencePorts } from '../../../../ports.ts'

const input = z.object({ id: z.string().max(200).describe('An id of the list of models.') })

const [EXAMPLE] = toModels(DEFAULT_TIER, { tiers: new Map() })

export const modelById = defineEndpoint({
  id: 'models.by.id',
  method: 'GET',
  path: '/v1/models/{id}',
  pricing: { kind: 'free' },
  summary: 'One model',
  description: 'One entry of the list of models, with its price, its limits and whether it is available.',
  input,
  output: model,
  example: { input: { id: DEFAULT_TIER.name }, ...(EXAMPLE && { output: EXAMPLE }) },
  limits: { bodyBytes: 4096, timeoutMs: 2000 },
  dialect: 'chat',
  handle({ input: { id }, ports }: Call<z.output<typeof input>, InferencePorts, null>) {
    const found = ALL_TIERS.flatMap((tier) => toModels(tier, ports)).find((one) => one.id === id)
    if (!found) throw new ProblemError({ code: 'not_found', detail: `No model has the id ${id}.` })
    return json(found)
  },
})
