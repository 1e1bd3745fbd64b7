import { defineUserListing, type UserExample } from '../../../listing/define-listing.ts'

const example: UserExample = {
  input: {
    id: '9120000000000000001',
  },
  output: {
    data: [
      {
        id: '9000000000000000003',
        name: 'Jun Okafor',
        username: 'jun_sample',
        description: 'Bread, bicycles and distributed systems.',
        location: 'Lagos',
        url: 'https://example.com/jun_sample',
        created_at: '2014-03-15T10:22:00.000Z',
        profile_image_url: 'https://example.com/jun_sample/picture.png',
        protected: false,
        verified: false,
        verified_type: 'none',
        public_metrics: {
          followers_count: 842,
          following_count: 390,
          tweet_count: 1207,
          listed_count: 9,
        },
      },
      {
        id: '9000000000000000019',
        name: 'Nadia Petrova',
        username: 'nadia_sample',
        description: 'Mathematics olympiads, old and new.',
        location: 'Sofia',
        url: 'https://example.com/nadia_sample',
        created_at: '2018-07-15T18:18:00.000Z',
        profile_image_url: 'https://example.com/nadia_sample/picture.png',
        protected: false,
        verified: false,
        verified_type: 'none',
        public_metrics: {
          followers_count: 7740,
          following_count: 130,
          tweet_count: 1530,
          listed_count: 91,
        },
      },
      {
        id: '9000000000000000018',
        name: 'Paulo Reis',
        username: 'paulo_sample',
        description: 'Type design & tea ☕',
        location: 'São Paulo',
        url: 'https://example.com/paulo_sample',
        created_at: '2017-06-08T13:07:00.000Z',
        profile_image_url: 'https://example.com/paulo_sample/picture.png',
        protected: false,
        verified: false,
        verified_type: 'none',
        public_metrics: {
          followers_count: 3310,
          following_count: 720,
          tweet_count: 4410,
          listed_count: 58,
        },
      },
    ],
    meta: {
      result_count: 3,
    },
  },
}

export const listFollowers = defineUserListing({
  id: 'lists.followers',
  path: '/lists/followers',
  priceUsd: '0.01',
  summary: 'Followers of a List',
  description: 'Profiles that follow the List with this numeric ID, most recent first, paginated.',
  operation: 'followersOfList',
  of: 'List',
  pageSize: 20,
  example,
})
