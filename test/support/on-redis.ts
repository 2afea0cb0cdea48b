// Puts the queues of a suite on Redis: a Jest project's setup file.
process.env['TEST_REDIS_URL'] = process.env['TEST_REDIS_SERVER'];
