# ruby till.rb print|kick|status|events|receive [TEXT]; the node is NODE, http://127.0.0.1:8080 where not given.
require 'json'
require 'net/http'
require 'openssl'
require 'securerandom'
require 'socket'

NODE = URI(ENV.fetch('NODE', 'http://127.0.0.1:8080'))
LOST = [SystemCallError, EOFError, Timeout::Error].freeze

def ask(method, path, body = nil, headers = {})
  Net::HTTP.start(NODE.host, NODE.port, read_timeout: 30) do |http|
    http.max_retries = 0 # what prints is sent again below, with its key
    JSON.parse(http.send_request(method, path, body && JSON.generate(body), headers).body)
  end
end

# Done once: sent again with its key where the answer is lost, for 90 s.
def once(path, command)
  key = { 'Idempotency-Key' => SecureRandom.uuid }
  last = Time.now + 90
  loop do
    answer = begin
      ask('POST', path, command, key)
    rescue *LOST
      { 'ok' => false, 'error' => 'unreachable' }
    end
    again = %w[unreachable busy key_in_use restarting].include?(answer['error'])
    return answer unless again && Time.now < last # write_failed: look at the paper

    sleep 1
  end
end

def events
  Net::HTTP.start(NODE.host, NODE.port, read_timeout: 60) do |http|
    http.request_get('/events') do |stream|
      held = +''
      stream.read_body do |piece|
        held << piece
        while (line = held.slice!(/\A.*\n/))
          yield JSON.parse(line[6..]) if line.start_with?('data: ')
        end
      end
    end
  end
end

def receive
  server = TCPServer.new('127.0.0.1', ENV.fetch('PORT', '8000').to_i)
  loop do
    client = server.accept
    head = client.gets("\r\n\r\n").to_s
    body = client.read([head[/^content-length: (\d+)/i, 1].to_i, 1024].min)
    own = "sha256=#{OpenSSL::HMAC.hexdigest('SHA256', ENV.fetch('SECRET'), body)}"
    right = OpenSSL.secure_compare(own, head[/^x-node-signature: (\S+)/i, 1].to_s)
    client.write("HTTP/1.1 #{right ? '204 No Content' : '401 Unauthorized'}\r\nConnection: close\r\n\r\n")
    client.close
    puts body if right
  end
end

$stdout.sync = true
what, text = ARGV
name = SecureRandom.uuid
case what
when 'print'
  lines = [{ type: 'text', value: text || 'Hello' }, { type: 'cut' }]
  puts JSON.generate(once('/print', { type: 'print', id: name, endpoint: 'receipt', lines: lines }))
when 'kick' then puts JSON.generate(once('/drawer/kick', { type: 'drawer_kick', id: name, endpoint: 'receipt' }))
when 'status' then puts JSON.generate(ask('GET', '/status'))
when 'events' then events { |event| puts JSON.generate(event) }
when 'receive' then receive
end
