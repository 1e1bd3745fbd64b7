import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTree } from '../html-tree.ts'
import { measureTree } from './measure-tree.ts'
import { findSurroundings } from './surroundings.ts'

const SENTENCE = 'The moon pulls the sea, the sun pulls it too, and the water stands high where both agree. '

test('navigation, footers and hidden parts are boilerplate, by element and by class name', () => {
  const tree = parseTree(
    `<body><nav>Home</nav><main><p>${SENTENCE.repeat(9)}</p><div class="share-bar">Share</div>
    <p hidden>Unseen</p></main><footer>Rights</footer></body>`,
  )
  const { root, aside } = findSurroundings(tree, measureTree(tree))
  assert.equal('name' in root && root.name, 'main')
  assert.deepEqual(
    [...aside].map(({ name }) => name),
    ['div', 'p'],
  )
})
