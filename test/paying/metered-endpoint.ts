import { parseUsd } from '@tollbook/chain/usdc'
import { json } from '@tollbook/endpoints/answer'
import { defineEndpoint } from '@tollbook/endpoints/endpoint'
import * as z from 'zod'

/** Sold by `upto`: a tenth of a cent per letter, at most two cents. */
export const spell = defineEndpoint({
  id: 'test.spell',
  method: 'GET',
  path: '/test/spell',
  pricing: { kind: 'metered', priceUsd: '0.02', minimumUsd: '0.001', isExactFirst: false },
  summary: 'Spell a word',
  description: 'The letters of a word, charged by the letter.',
  input: z.object({ word: z.string().max(20).describe('Word to spell.') }),
  output: z.object({ letters: z.array(z.string()) }),
  example: { input: { word: 'toll' }, output: { letters: ['t', 'o', 'l', 'l'] } },
  limits: { bodyBytes: 1024, timeoutMs: 20_000 },
  handle: ({ input }) => {
    const letters = [...input.word]
    return json({ letters }, { charge: parseUsd('0.001') * BigInt(letters.length) })
  },
})
