import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestName } from './nearest-name.ts'

test('a name that is written with up to two mistakes, or with a further word, is recognised', () => {
  const known = ['prompt', 'aspect', 'style', 'url']
  const provided = {
    promt: 'prompt',
    asepct: 'aspect',
    aspect_ratio: 'aspect',
    'page-url': 'url',
    shape: null,
    ur: 'url',
  }
  for (const [name, nearest] of Object.entries(provided))
    assert.equal(nearestName(name, known), nearest, name)
})
