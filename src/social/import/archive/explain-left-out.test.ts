import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainLeftOut } from './explain-left-out.ts'

test('whoever imports is told why a type of data is not', () => {
  assert.deepEqual(['directMessages', 'ipAudit', 'like', 'article', 'deletedTweets'].map(explainLeftOut), [
    'directMessages (private)',
    'ipAudit (private)',
    'like (texts of others without their authors and times)',
    'article (in a form that X has not documented)',
    'deletedTweets (deleted by their author)',
  ])
})
