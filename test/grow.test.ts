import assert from 'node:assert/strict'
import { test } from 'node:test'
import { predict } from '@tollbook/extract/pieces/classify-pieces'
import { labelPieces } from '../quality/grow/label-pieces.ts'
import { toTable } from '../quality/grow/table.ts'
import { trainModel } from '../quality/grow/train-model.ts'

test('a trained model predicts the exclusive or of two features', () => {
  const features = Array.from({ length: 900 }, (_, at) =>
    Float32Array.of(at % 30, Math.floor(at / 30), at % 7, 1),
  )
  const isSo = (row: Float32Array) => (row[0] ?? 0) >= 15 !== (row[1] ?? 0) >= 15
  const labels = features.map((row) => Number(isSo(row)))
  const table = toTable([{ features, labels, weights: features.map(() => 10) }])
  const model = trainModel(table, () => undefined)
  const right = features.filter((row) => predict(model, row) > 0.5 === isSo(row))
  assert.ok(right.length > 880, `${right.length} of 900`)
  // A column that is always the same decides nothing.
  assert.ok(!model.feature.includes(3))
  assert.deepEqual(
    trainModel(table, () => undefined),
    model,
  )
})

test('a piece is content by its runs of words, a short one by its line or by what is around it', () => {
  const content =
    'Tides\nThe moon pulls the sea, the sun pulls it too.\nWhere both agree the water stands high.'
  const pieces = ['Home', 'Tides', 'The moon pulls the sea', 'the sun', 'Where both agree we swim', 'the sea']
  // Runs of the fifth: where both agree, both agree we, agree we swim; one of three is of the content. The fourth
  // stands between content and something else, the last beside something else alone.
  assert.deepEqual(labelPieces(pieces, content), [0, 1, 1, 0.7, 1 / 3, 0.1])
})
