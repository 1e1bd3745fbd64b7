import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainSkipped } from './explain-skipped.ts'

test('the reason why a data type is not imported is reported', () => {
  assert.deepEqual(['directMessages', 'ipAudit', 'like', 'article', 'deletedTweets'].map(explainSkipped), [
    'directMessages (private)',
    'ipAudit (private)',
    'like (texts of others without their authors and times)',
    'article (in a format that X has not documented)',
    'deletedTweets (deleted by their author)',
  ])
})
