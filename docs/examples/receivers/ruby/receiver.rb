# frozen_string_literal: true

# Receives deliveries of a Trellis hook and refuses those that were not signed with its token. Ruby's own library has no
# server for HTTP, so this one reads requests itself; with Rack or Rails, only `genuine?` is needed.
# Run with: HOOK_TOKEN=the-token-of-the-hook PORT=4000 ruby receiver.rb

require 'json'
require 'openssl'
require 'socket'

TOLERANCE_S = 300
MAX_BYTES = 8 * 1024 * 1024
TOKEN = ENV.fetch('HOOK_TOKEN')
KEY = TOKEN.start_with?('whsec_') ? TOKEN.delete_prefix('whsec_').unpack1('m') : TOKEN
abort 'HOOK_TOKEN is empty' if KEY.empty?

# Ids of what has been handled. A service keeps them in its database, longer than deliveries are retried.
HANDLED = {}

def genuine?(headers, body)
  timestamp = headers.fetch('webhook-timestamp', '')
  return false unless timestamp.match?(/\A\d+\z/)
  return false if (Time.now.to_i - timestamp.to_i).abs > TOLERANCE_S

  signed = "#{headers['webhook-id']}.#{timestamp}.#{body}".b
  expected = "v1,#{[OpenSSL::HMAC.digest('SHA256', KEY, signed)].pack('m0')}"
  # The header may list several signatures.
  headers.fetch('webhook-signature', '').split.any? do |signature|
    OpenSSL.secure_compare(signature, expected)
  end
end

def read_request(client)
  client.gets("\r\n", 8192)
  headers = {}
  while (line = client.gets("\r\n", 8192)&.chomp) && !line.empty?
    name, value = line.split(':', 2)
    headers[name.downcase] = value.to_s.strip
  end
  length = headers.fetch('content-length', '0').to_i
  [headers, length.between?(0, MAX_BYTES) ? client.read(length).to_s : nil]
end

def status_of(headers, body)
  return '413 Content Too Large' if body.nil?
  return '401 Unauthorized' unless genuine?(headers, body)

  id = headers['webhook-id']
  # A repetition is answered as a success, so that it is not sent once more.
  unless HANDLED.key?(id)
    event = JSON.parse(body)
    puts "#{event['object_kind'] || event['event_name']} #{id}"
    HANDLED[id] = true
  end
  '204 No Content'
end

$stdout.sync = true
server = TCPServer.new('127.0.0.1', ENV.fetch('PORT', '4000').to_i)
puts "listening on #{server.addr[1]}"
loop do
  Thread.new(server.accept) do |client|
    client.timeout = 10 if client.respond_to?(:timeout=)
    client.write("HTTP/1.1 #{status_of(*read_request(client))}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
  rescue SystemCallError, IOError
    # The sender has gone; it sends again.
  ensure
    client.close
  end
end
