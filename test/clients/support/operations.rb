# What drivers in Ruby share: operations, and a look at what they did that does not go through the client.
require 'json'
require 'net/http'
require 'uri'

URL = ENV.fetch('SERVICE')
TOKEN = ENV.fetch('TOKEN')
ADMIN_TOKEN = ENV.fetch('ADMIN_TOKEN')
USERNAME = ENV.fetch('USERNAME')
USER_ID = Integer(ENV.fetch('USER_ID'))
SHOWN_CHARACTERS = 500

# Carries out an operation with the checks of what it did, notes whether it passed, and returns what the block returns.
def operation(name)
  problem = nil
  result = yield
  result
rescue StandardError => e
  problem = "#{e.class}: #{e.message}".split.join(' ')[0, SHOWN_CHARACTERS]
  nil
ensure
  File.open(ENV.fetch('CLIENT_RESULTS'), 'a') do |results|
    results.puts(JSON.generate(operation: name, problem: problem))
  end
end

# Calls version 4 without the client.
def fetch(route, token = TOKEN)
  uri = URI("#{URL}/api/v4#{route}")
  request = Net::HTTP::Get.new(uri, 'PRIVATE-TOKEN' => token)
  Net::HTTP.start(uri.host, uri.port) { |http| http.request(request) }
end

# Reads what the service has, without the client.
def read(route, token = TOKEN)
  response = fetch(route, token)
  raise "GET #{route} answers #{response.code} #{response.body}" unless response.code == '200'

  JSON.parse(response.body)
end

def status_of(route, token = TOKEN)
  Integer(fetch(route, token).code)
end

def equal(actual, expected)
  raise "#{actual.inspect} instead of #{expected.inspect}" unless actual == expected
end
