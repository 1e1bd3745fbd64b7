import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDeclaredContent } from './declared-content.ts'
import { readJsonLd } from './json-ld.ts'

const read = (data: unknown) => readDeclaredContent([readJsonLd(JSON.stringify(data))])

test('bodies, ingredients, steps and prices are read from JSON-LD, without markup', () => {
  assert.deepEqual(
    read({
      '@graph': [
        { '@type': 'NewsArticle', articleBody: 'The <b>moon</b> &amp; the sea', description: 'A summary' },
        {
          '@type': 'Recipe',
          description: 'A cake',
          recipeIngredient: ['2 eggs'],
          recipeInstructions: [{ '@type': 'HowToStep', text: 'Beat them.' }],
        },
        {
          '@type': 'Product',
          offers: { '@type': 'AggregateOffer', lowPrice: '3.50', offers: [{ price: 4 }] },
        },
      ],
    }),
    { texts: ['The moon & the sea', 'A cake'], lines: ['2 eggs', 'Beat them.'], prices: [3.5, 4] },
  )
})

test('data of any depth is read without an error', () => {
  let data: unknown = { price: 1 }
  for (let depth = 0; depth < 1_000; depth += 1) data = [data]
  assert.deepEqual(read(data), { texts: [], lines: [], prices: [] })
})
